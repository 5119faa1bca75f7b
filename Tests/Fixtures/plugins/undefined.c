// Uses a function that no library defines.
int defined_nowhere(void);
int call_it(void) { return defined_nowhere(); }
