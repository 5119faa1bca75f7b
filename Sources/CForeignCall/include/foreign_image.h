// Facts that glibc's loader has about the libraries it has mapped.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of dynamic symbols.
enum { FOREIGN_SYMBOL_UNKNOWN, FOREIGN_SYMBOL_FUNCTION, FOREIGN_SYMBOL_VARIABLE };

/// The kind of the symbol at `address`, one of `FOREIGN_SYMBOL_…`; unknown when no symbol starts there.
int32_t foreign_symbol_kind(const void *address);

/// The address of the library behind a `dlopen` handle; NULL when the loader does not say.
const void *foreign_image_base(void *handle);

/// The path with which the library behind a `dlopen` handle was opened; NULL when the loader does not say.
/// Valid while the library is mapped.
const char *foreign_image_path(void *handle);

/// True when `address` lies in the library behind the handle itself, not in one that it depends on.
bool foreign_image_contains(void *handle, const void *address);

/// A part of a library in memory that can be read, of `size` bytes.
struct foreign_segment {
    const void *start;
    size_t size;
    bool is_writable;
};

/// Stores the parts of the library behind the handle that can be read, at most `capacity`, and returns how
/// many there are. They stay while the library is mapped.
size_t foreign_image_segments(void *handle, struct foreign_segment *segments, size_t capacity);

/// The path of the library that has `address` in its memory, as the loader knows it; NULL when no library
/// has. Valid while the library is mapped.
const char *foreign_image_of(const void *address);

/// Stores `value` with release ordering: a thread that reads it with acquire ordering sees all earlier
/// writes.
static inline void foreign_publish(const void **slot, const void *value) {
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

#ifdef __cplusplus
}
#endif
