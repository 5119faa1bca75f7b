void begin(spin_call *call, spin_self *self, int64_t n); double level(spin_self *self, spin_string name);
