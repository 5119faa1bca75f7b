// Has functions with the same names as functions of the host, and calls them.
#include <stdint.h>

int64_t foreign_call(void) { return 1; }
int64_t spin_std_info(void) { return 2; }
int64_t main(void) { return 4; }
int64_t sum(void) { return foreign_call() + spin_std_info() + main(); }
