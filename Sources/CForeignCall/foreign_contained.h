// The one way into a plugin: everything that the host calls there goes through `foreign_contained` or
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

/// What the C++ runtime keeps of a thread's exceptions (`__cxa_eh_globals` of the Itanium ABI).
struct foreign_exceptions {
    void *caught;
    unsigned int uncaught;
};

/// Writes "SIGSEGV at address 0x10".
void foreign_describe_crash(const foreign_frame &frame, char *message, size_t size);

/// Lets the signals of crashes through on this thread: one that is blocked ends the process without a report.
void foreign_unblock_crashes();

/// Undoes what the first call of a callee may have left on its thread.
void foreign_first_return(const foreign_callee *callee);

/// Puts the plugin of the callee out of use and undoes what the crash left of the call.
void foreign_leave_crashed(foreign_frame &frame, const foreign_callee *callee, const foreign_callee *outer);

// The C++ runtime binds the reference to a forced unwind to null, which only a sanitizer minds. What is inlined it treats like the
// function around it.
#ifdef __SANITIZE_ADDRESS__
#define FOREIGN_INLINE __attribute__((noinline, no_sanitize("null")))
#else
#define FOREIGN_INLINE __attribute__((always_inline))
#endif

/// Calls `body`, which calls the plugin, so that others can tell what this thread is in. Whatever is thrown stops here.
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
        // What waits for this thread, a loop or a timer, would wait for ever, and the unwinding cannot be stopped.
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

/// The same; a crash stops here too, and the plugin is not called again.
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
    // The mask of signals is not saved, which would cost a call of the system. The handlers do not change it, and after a crash
    // `foreign_leave_crashed` unblocks what matters.
    if (sigsetjmp(frame.point, 0) != 0) {
        // An exception that was on its way, such as one that ended in `std::terminate`, is so no more.
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
