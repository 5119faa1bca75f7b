// The calls of a thread into plugins. Each thread has memory of its own; signal handlers and the watching
// thread read it.
#pragma once

#include "foreign_callee.h"

#include <csetjmp>
#include <csignal>

/// One guarded call: the point where the thread continues after a crash.
struct foreign_frame {
    foreign_frame *outer;
    sigjmp_buf point;
    volatile sig_atomic_t is_armed;
    volatile sig_atomic_t signal;
    const void *volatile address;
    bool has_address;
};

struct foreign_thread {
    /// The function that the thread calls. The thread itself writes it.
    const foreign_callee *callee;
    /// The number of its calls so far. The thread itself writes it.
    uint64_t serial;
    /// The innermost guarded call.
    foreign_frame *top;
    /// A signal handler passes its signal on.
    volatile sig_atomic_t is_passing;
    /// The thread is in the list, and has a stack for signal handlers.
    bool has_begun;
    /// The stack for handlers that this code made; NULL when other code gave the thread one.
    void *stack;
    foreign_thread *next;
    foreign_thread *previous;
};

// One instruction reaches it, also from a signal handler.
extern __thread foreign_thread foreign_this_thread __attribute__((tls_model("initial-exec")));

/// Adds the calling thread to the list and gives it a stack for signal handlers. Does nothing the second
/// time.
void foreign_thread_begin();

/// Reports a call that has returned in another process than the one that made it, or on a thread that ends.
[[noreturn]] void foreign_call_came_back(const foreign_callee *callee);
[[noreturn]] void foreign_call_ended_thread(const foreign_callee *callee);

/// Writes the report of a crash to the standard error output. Uses only functions that a signal handler may
/// call.
void foreign_report_crash(const foreign_callee *callee, bool in_host, int signal, const siginfo_t *info);
/// The same for a thread that calls no plugin, in a process whose reports go to a file, too.
///
/// `code` is the address of the instruction; 0 if it is not known.
void foreign_report_other_crash(int signal, const siginfo_t *info, uintptr_t code);
/// The same when a plugin has ended the process with `exit`.
void foreign_report_exit(const foreign_callee *callee, int status);

/// "SIGSEGV"; "a signal" for one that is not guarded.
const char *foreign_signal_name(int signal);
