// The one way into a plugin: the host calls every function of a plugin through `foreign_contained` or
// `foreign_guarded`, whatever its C type.
#pragma once

#include "foreign_call.h"
#include "foreign_thread.h"

#include <csetjmp>
#include <cstring>
#include <cxxabi.h>
#include <exception>

/// Copies a text, cut to `size` bytes with its NUL; NULL counts as empty.
inline void foreign_copy_message(const char *text, char *message, size_t size) {
    if (size == 0) {
        return;
    }
    const size_t length = text == nullptr ? 0 : strnlen(text, size - 1);
    if (length > 0) {
        std::memcpy(message, text, length);
    }
    message[length] = 0;
}

/// The C++ runtime's data about a thread's exceptions (`__cxa_eh_globals` of the Itanium ABI).
struct foreign_exceptions {
    void *caught;
    unsigned int uncaught;
};

/// Writes "SIGSEGV at address 0x10".
void foreign_describe_crash(const foreign_frame &frame, char *message, size_t size);

/// Unblocks the signals of crashes on this thread. A crash with a blocked signal ends the process without a
/// report.
void foreign_unblock_crashes();

/// Undoes the changes that the first call of a callee may have left on its thread.
void foreign_first_return(const foreign_callee *callee);

/// Puts the callee's plugin into quarantine, and restores the thread's record of its calls.
void foreign_leave_crashed(foreign_frame &frame, const foreign_callee *callee, const foreign_callee *outer);

// The C++ runtime binds the reference to a forced unwind to null, and only a sanitizer reports that. A
// sanitizer treats inlined code like the function around it.
#ifdef __SANITIZE_ADDRESS__
#define FOREIGN_INLINE __attribute__((noinline, no_sanitize("null")))
#else
#define FOREIGN_INLINE __attribute__((always_inline))
#endif

/// Calls `body`, which calls the plugin. Other threads can see the call meanwhile. No exception leaves this
/// function.
template <typename Body>
FOREIGN_INLINE inline int32_t foreign_contained(const foreign_callee *callee, char *message, size_t size,
                                                Body body) {
    foreign_thread *thread = &foreign_this_thread;
    const foreign_callee *outer = thread->callee;
    // Other threads read both, at any time.
    __atomic_store_n(&thread->callee, callee, __ATOMIC_RELAXED);
    const uint64_t serial = thread->serial + 1;
    __atomic_store_n(&thread->serial, serial, __ATOMIC_RELAXED);
    if (serial == 1) {
        foreign_thread_begin();
    }
    int32_t status = FOREIGN_RETURNED;
    try {
        body();
    } catch (const std::exception &exception) {
        foreign_copy_message(exception.what(), message, size);
        status = FOREIGN_THREW;
    } catch (const abi::__forced_unwind &) {
        // A loop or a timer that waits for this thread would wait for ever, and nothing can stop the
        // unwinding.
        foreign_call_ended_thread(callee);
    } catch (...) {
        foreign_copy_message(nullptr, message, size);
        status = FOREIGN_THREW;
    }
    if (__builtin_expect(thread->callee != callee, 0)) {
        foreign_call_came_back(callee);
    }
    if (__builtin_expect(!__atomic_load_n(&callee->has_returned, __ATOMIC_RELAXED), 0)) {
        foreign_first_return(callee);
    }
    __atomic_store_n(&thread->callee, outer, __ATOMIC_RELAXED);
    return status;
}

/// The same for a guarded plugin: a crash ends only the call, and the plugin is not called again.
template <typename Body>
int32_t foreign_guarded(const foreign_callee *callee, char *message, size_t size, Body body) {
    if (foreign_is_quarantined(callee->quarantined)) {
        return FOREIGN_REFUSED;
    }
    foreign_thread_begin();
    foreign_frame frame;
    frame.outer = foreign_this_thread.top;
    frame.is_armed = 0;
    const foreign_callee *const outer = foreign_this_thread.callee;
    auto *const exceptions = reinterpret_cast<foreign_exceptions *>(abi::__cxa_get_globals());
    const foreign_exceptions kept = *exceptions;
    // The signal mask is not saved, because that would cost a system call. The handlers do not change the
    // mask. After a crash `foreign_leave_crashed` unblocks the signals of crashes.
    if (sigsetjmp(frame.point, 0) != 0) {
        // Drops an exception that was in flight, such as one that ended in `std::terminate`.
        *exceptions = kept;
        foreign_leave_crashed(frame, callee, outer);
        foreign_describe_crash(frame, message, size);
        return FOREIGN_CRASHED;
    }
    foreign_this_thread.top = &frame;
    frame.is_armed = 1;
    const int32_t status = foreign_contained(callee, message, size, body);
    frame.is_armed = 0;
    foreign_this_thread.top = frame.outer;
    return status;
}
