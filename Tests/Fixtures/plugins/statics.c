// A variable that shows which image is called.
#include <stdint.h>

int64_t variable = 0;
int64_t count_up(void) { return ++variable; }
