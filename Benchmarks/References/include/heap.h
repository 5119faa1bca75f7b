// A question to the C library's allocator that Swift cannot ask itself.
#pragma once

#include <stdint.h>

/// The bytes that `malloc` has given out and not got back, including its own headers, in all arenas.
int64_t heap_bytes_in_use(void);
