// The filter of system calls as a program of classic BPF, and its names.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What a filter depends on.
struct sandbox_rules {
    /// The process, which may send signals to itself.
    pid_t process;
    bool connects_to_ports;
    bool listens_at_ports;
    bool allows_local_sockets;
    bool allows_programs;
    bool allows_children;
    /// Landlock keeps signals inside, so that the filter need not.
    bool scopes_signals;
    /// Another process decides whether a child may start.
    bool asks_for_children;
    /// Another process is told of calls with a path or an address, and of refused ones.
    bool asks_for_accesses;
    /// Nothing is refused. Calls that would be are told of, when `asks_for_accesses` holds.
    bool refuses_nothing;
};

/// Writes the filter for a machine, such as AUDIT_ARCH_X86_64. Returns the count of instructions; 0 for an
/// unknown machine, or without enough room. From any thread.
size_t sandbox_write_filter(const struct sandbox_rules *rules, uint32_t machine, struct sock_filter *program,
                            size_t capacity);

/// Enough room for a filter.
enum { SANDBOX_FILTER_CAPACITY = 2048 };

/// The answer of a filter to a call, as the kernel gives it. From any thread.
uint32_t sandbox_run_filter(const struct sock_filter *program, size_t count, uint32_t machine, int number,
                            const uint64_t arguments[6]);

/// The machine that this code is compiled for.
uint32_t sandbox_machine(void);

/// The name of a call; null for an unknown number. From any thread, and in signal handlers.
const char *sandbox_call_name(uint32_t machine, int number);
