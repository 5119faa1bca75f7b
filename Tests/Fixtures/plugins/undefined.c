// Uses a function that nobody defines.
int defined_nowhere(void);
int call_it(void) { return defined_nowhere(); }
