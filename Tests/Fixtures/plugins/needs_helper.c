// Needs the library beside it.
#include <stdint.h>

int helped(void);
int32_t ask_helper(void) { return helped(); }
