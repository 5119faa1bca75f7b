// What a thread is doing in plugins, in memory of its own that handlers of signals and the watching thread may read.
#pragma once

#include "foreign_callee.h"

#include <csetjmp>
#include <csignal>

/// One guarded call: where to go on after a crash.
struct foreign_frame {
    foreign_frame *outer;
    sigjmp_buf point;
    volatile sig_atomic_t is_armed;
    volatile sig_atomic_t signal;
    const void *volatile address;
    bool has_address;
};

struct foreign_thread {
    /// What it calls; written by the thread itself.
    const foreign_callee *callee;
    /// The number of its calls so far, likewise.
    uint64_t serial;
    /// The innermost guarded call.
    foreign_frame *top;
    /// A handler of a signal is passing it on.
    volatile sig_atomic_t is_passing;
    /// It is in the list, and has a stack for handlers of signals.
    bool has_begun;
    /// Its own stack for handlers; NULL when somebody else gave it one.
    void *stack;
    foreign_thread *next;
    foreign_thread *previous;
};

// One instruction to reach, also from a handler of a signal.
extern __thread foreign_thread foreign_this_thread __attribute__((tls_model("initial-exec")));

/// Adds the calling thread to the list and gives it a stack for handlers of signals. Does nothing when it was.
void foreign_thread_begin();

/// The call has returned into a process that is not the one that made it, or on a thread that ends.
[[noreturn]] void foreign_call_came_back(const foreign_callee *callee);
[[noreturn]] void foreign_call_ended_thread(const foreign_callee *callee);

/// Writes the report of a crash to the standard error output, with calls only that a handler of a signal may make.
void foreign_report_crash(const foreign_callee *callee, bool in_host, int signal, const siginfo_t *info);
/// The same when a plugin has ended the process with `exit`.
void foreign_report_exit(const foreign_callee *callee, int status);

/// "SIGSEGV"; "a signal" for one that is not guarded.
const char *foreign_signal_name(int signal);
