// What Swift cannot ask the C library's allocator.
#pragma once

#include <stdint.h>

/// The bytes that `malloc` has given out and not got back, its own headers included, in all arenas.
int64_t heap_bytes_in_use(void);
