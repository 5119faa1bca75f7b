// Calls of functions whose C type is known at run time only, on libffi. Whatever the callee throws stops
// here, and whatever crashes in a guarded plugin.
#pragma once

#include "foreign_callee.h"
#include "foreign_type.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a function of one C type is called: libffi's `ffi_cif` with its array of types, and whom it belongs to.
/// Immutable once made, so that any number of threads may call through it.
typedef struct foreign_interface foreign_interface;

/// What became of a call: it returned; a C++ exception came out; it crashed, and the plugin is in quarantine from
/// now on; it was not made, as the plugin is in quarantine.
enum { FOREIGN_RETURNED, FOREIGN_THREW, FOREIGN_CRASHED, FOREIGN_REFUSED };

/// The interface of a function with these types, in the platform's own calling convention. The types are
/// borrowed and must outlive it. NULL when libffi refuses or memory is short. Owned by the caller:
/// `foreign_interface_destroy`.
foreign_interface *foreign_interface_create(const foreign_callee *callee, const foreign_type *result,
                                            const foreign_type *const *parameters, size_t count);

/// Frees an interface; no call through it may be running or follow.
void foreign_interface_destroy(foreign_interface *interface);

/// Room in bytes that a call needs for a result of `type`: at least a register, which libffi fills for a
/// narrow integer. The memory must be aligned to 16 bytes.
size_t foreign_result_size(const foreign_type *type);

/// Calls `function` with the values that `arguments` point to and stores its result, an integer narrower than
/// a register widened to 8 bytes. `errno` is 0 when the function begins; its value at the return goes to
/// `error_number`. For a plugin that is not guarded.
///
/// Answers `FOREIGN_RETURNED`, or `FOREIGN_THREW` when a C++ exception came out: then `result` is not stored,
/// and `message` holds what it says, cut to `message_size` bytes and NUL-terminated, in no promised encoding;
/// empty for an exception that is no `std::exception`. Allocates nothing.
int32_t foreign_call(const foreign_interface *interface, const void *function, void *const *arguments,
                     void *result, int32_t *error_number, char *message, size_t message_size);

/// The same for a guarded plugin: also answers `FOREIGN_CRASHED`, with the signal and address in `message`, and
/// `FOREIGN_REFUSED`.
int32_t foreign_call_guarded(const foreign_interface *interface, const void *function, void *const *arguments,
                             void *result, int32_t *error_number, char *message, size_t message_size);

/// Calls `void function(void *context)`, guarded if the callee is; answers and `message` as in `foreign_call_guarded`.
int32_t foreign_call_back(const foreign_callee *callee, void (*function)(void *context), void *context,
                          char *message, size_t message_size);

/// Calls `void function(void *context, uint64_t count)`, likewise.
int32_t foreign_call_back_counting(const foreign_callee *callee,
                                   void (*function)(void *context, uint64_t count), void *context,
                                   uint64_t count, char *message, size_t message_size);

/// A native reducer as one loop calls it, and the memory for that. Used by one thread at a time.
typedef struct {
    const foreign_callee *callee;
    /// `int32_t function(void *reduction, void *state, const void *event)`.
    const void *function;
    void *reduction;
    /// Room for a state.
    void *copy;
    /// Whether the reducer changes the state in place, of which `copy` has what it was before; else it changes `copy`.
    bool in_place;
    /// What the reducer reads: a tag of 4 bytes, and at `payload_offset` the fields of the event, with room for 7 bytes more.
    void *event;
    size_t payload_offset;
    /// In words of 8 bytes.
    size_t state_size;
    char *message;
    size_t message_size;
    /// What the function has answered, if it returned.
    int32_t answer;
} foreign_reducer;

/// Calls the reducer for an event with fields at `payload`, of so many words of 8 bytes; guarded if the callee is. Answers and
/// `message` as in `foreign_call_guarded`. A state that was to be changed in place is as before unless it returned 0 (`SPIN_OK`).
///
/// A few words are copied one by one. The C library's way costs a call, and reads two words at once that a field's assignment has just
/// written one by one: the processor then waits until they have left its store buffer. A step of the row M2 takes a tenth less time this way.
int32_t foreign_reduce(foreign_reducer *reducer, void *state, int32_t tag, const void *payload,
                       size_t payload_size);

/// Makes `owner` the one on whose behalf this thread calls, and returns the one before, to be set again
/// afterwards. NULL on a thread that is in no such call.
void *foreign_owner_exchange(void *owner);

/// On whose behalf this thread calls.
void *foreign_owner_current(void);

#ifdef __cplusplus
}
#endif
