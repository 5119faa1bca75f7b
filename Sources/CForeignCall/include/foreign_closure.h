// Functions that the host makes at run time and gives to C as function pointers, on libffi's closures.
#pragma once

#include "foreign_type.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A function of one C type that C code may call on any thread and at any time. It is never freed, because C
/// code may keep its address for ever.
typedef struct foreign_closure foreign_closure;

/// Answers one call. `arguments` point to the values, each in memory of its type. Both are borrowed for the
/// call. Returns the result: an integer extended to 64 bits by its sign, a pointer, or the bits of a `float`
/// or `double`. The closure ignores it if its function returns nothing.
typedef uint64_t (*foreign_answer)(void *context, void *const *arguments);

/// Makes a function with these types whose calls `answer` answers, with `context`. The types are borrowed and
/// must never be freed. The result is void, or a scalar. NULL when libffi refuses or memory is short.
///
/// `answer` is called outside of any guard, so that a crash there is the host's own. `errno` is kept.
foreign_closure *foreign_closure_create(const foreign_type *result, const foreign_type *const *parameters,
                                        size_t count, foreign_answer answer, void *context);

/// The address that C code calls.
const void *foreign_closure_function(const foreign_closure *closure);

/// Sets the result of calls that cannot be answered, 0 at first. From any thread.
void foreign_closure_set_fallback(foreign_closure *closure, uint64_t fallback);

/// The result of calls that cannot be answered.
///
/// The closure returns it by itself for a call that interrupts another answer on the same thread, as a signal
/// handler does. A call that a function of a plugin makes is answered, also if the host has called this
/// function within an answer.
uint64_t foreign_closure_fallback(const foreign_closure *closure);

#ifdef __cplusplus
}
#endif
