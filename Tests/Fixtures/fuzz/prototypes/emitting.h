void watch(spin_call *call, spin_list_string names, spin_duration every, const spin_bytes *raw); // done later
