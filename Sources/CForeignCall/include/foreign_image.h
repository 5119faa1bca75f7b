// What glibc's loader knows about the libraries it has mapped.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a dynamic symbol stands for.
enum { FOREIGN_SYMBOL_UNKNOWN, FOREIGN_SYMBOL_FUNCTION, FOREIGN_SYMBOL_VARIABLE };

/// What the symbol at `address` is, one of `FOREIGN_SYMBOL_…`; unknown when no symbol starts there.
int32_t foreign_symbol_kind(const void *address);

/// The address that the library behind a `dlopen` handle is mapped at; NULL when the loader does not say.
const void *foreign_image_base(void *handle);

/// The path that the library behind a `dlopen` handle was opened by; NULL when the loader does not say. Valid
/// while it is mapped.
const char *foreign_image_path(void *handle);

/// True when `address` lies in the library behind the handle itself, not in one that it depends on.
bool foreign_image_contains(void *handle, const void *address);

/// The path of the library whose memory `address` lies in, as the loader has it; NULL when it is in none. Valid while the
/// library is mapped.
const char *foreign_image_of(const void *address);

/// Stores `value` so that a thread that reads it with acquire ordering sees everything written before.
static inline void foreign_publish(const void **slot, const void *value) {
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

#ifdef __cplusplus
}
#endif
