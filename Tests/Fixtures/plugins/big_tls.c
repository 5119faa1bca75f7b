// Needs more static thread-local memory than a library can get that is loaded late.
#include <stdint.h>

static __thread char memory[1 << 20] __attribute__((tls_model("initial-exec")));
int64_t use_memory(void) { return ++memory[1 << 10]; }
