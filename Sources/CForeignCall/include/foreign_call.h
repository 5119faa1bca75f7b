// Calls of functions whose C type is known only at run time, on libffi. No exception of the callee passes
// these calls, and no crash of a guarded plugin.
#pragma once

#include "foreign_callee.h"
#include "foreign_type.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The way to call a function of one C type: libffi's `ffi_cif` with its array of types, and the callee. It
/// never changes, so any number of threads may call through it.
typedef struct foreign_interface foreign_interface;

/// The outcome of a call: it returned; a C++ exception left it; it crashed, and the plugin is in quarantine
/// from now on; it was not made, because the plugin is in quarantine.
enum { FOREIGN_RETURNED, FOREIGN_THREW, FOREIGN_CRASHED, FOREIGN_REFUSED };

/// Makes the interface of a function with these types, in the platform's own calling convention. The types
/// are borrowed and must outlive it. NULL when libffi refuses or memory is short. The caller owns the
/// interface and ends it with `foreign_interface_destroy`.
foreign_interface *foreign_interface_create(const foreign_callee *callee, const foreign_type *result,
                                            const foreign_type *const *parameters, size_t count);

/// Frees an interface. No call through it may run now or later.
void foreign_interface_destroy(foreign_interface *interface);

/// The bytes that a call needs for a result of `type`: at least a register, because libffi fills one for a
/// narrow integer. The memory must be aligned to 16 bytes.
size_t foreign_result_size(const foreign_type *type);

/// Calls `function` with the values that `arguments` point to and stores its result. An integer narrower than
/// a register is widened to 8 bytes. `errno` is 0 when the function begins; its value at the return goes to
/// `error_number`. For a plugin that is not guarded.
///
/// Returns `FOREIGN_RETURNED`, or `FOREIGN_THREW` when a C++ exception left the function. Then `result` is
/// not stored, and `message` has the exception's text, cut to `message_size` bytes and NUL-terminated, in no
/// promised encoding. It is empty for an exception that is not a `std::exception`. Allocates nothing.
int32_t foreign_call(const foreign_interface *interface, const void *function, void *const *arguments,
                     void *result, int32_t *error_number, char *message, size_t message_size);

/// The same for a guarded plugin. Also returns `FOREIGN_CRASHED`, with the signal and address in `message`,
/// and `FOREIGN_REFUSED`.
int32_t foreign_call_guarded(const foreign_interface *interface, const void *function, void *const *arguments,
                             void *result, int32_t *error_number, char *message, size_t message_size);

/// Calls `void function(void *context)`, guarded if the callee is. Result and `message` as in
/// `foreign_call_guarded`.
int32_t foreign_call_back(const foreign_callee *callee, void (*function)(void *context), void *context,
                          char *message, size_t message_size);

/// The same for `void function(void *context, uint64_t count)`.
int32_t foreign_call_back_counting(const foreign_callee *callee,
                                   void (*function)(void *context, uint64_t count), void *context,
                                   uint64_t count, char *message, size_t message_size);

/// A native reducer of one loop, and the memory for its calls. For one thread at a time.
typedef struct {
    const foreign_callee *callee;
    /// `int32_t function(void *reduction, void *state, const void *event)`.
    const void *function;
    void *reduction;
    /// Room for a state.
    void *copy;
    /// True: the reducer changes the state in place, and `copy` has the state before. False: the reducer
    /// changes `copy`.
    bool in_place;
    /// The event for the reducer: a tag of 4 bytes, and the fields at `payload_offset`, with room for 7 more
    /// bytes.
    void *event;
    size_t payload_offset;
    /// In words of 8 bytes.
    size_t state_size;
    char *message;
    size_t message_size;
    /// The function's result, if it returned.
    int32_t answer;
} foreign_reducer;

/// Calls the reducer for an event with fields at `payload`, `payload_size` words of 8 bytes; guarded if the
/// callee is. Result and `message` as in `foreign_call_guarded`. A state that is changed in place is as
/// before, unless the answer is 0 (`SPIN_OK`).
///
/// A few words are copied one by one. `memcpy` costs a call, and reads two words at once that were just
/// written one by one: the processor then waits until they have left its store buffer. A step of the row M2
/// takes a tenth less time this way.
int32_t foreign_reduce(foreign_reducer *reducer, void *state, int32_t tag, const void *payload,
                       size_t payload_size);

/// Makes `owner` the owner of this thread's calls. Returns the owner before, which the caller must set again
/// afterwards. NULL on a thread that is in no such call.
void *foreign_owner_exchange(void *owner);

/// The owner of this thread's calls.
void *foreign_owner_current(void);

#ifdef __cplusplus
}
#endif
