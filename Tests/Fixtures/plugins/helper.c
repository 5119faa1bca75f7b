// A library that a plugin brings along.
int helped(void) { return 42; }
