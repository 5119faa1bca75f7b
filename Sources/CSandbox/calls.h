// The system calls that have a name, with what a filter answers to them.
#pragma once

#include <stddef.h>
#include <stdint.h>

// What a filter answers to a call. Where the answer depends on arguments, a function of filter.c says how.
enum rule {
    ALLOW,
    // Landlock decides, and an observer is told.
    OBSERVED,
    // EPERM: libraries continue without the call.
    REFUSE,
    TRAP,
    CLONE,
    CLONE_BY_STRUCT,
    FORK,
    EXECUTE,
    SIGNAL,
    SIGNAL_ACTION,
    SIGNAL_BY_DESCRIPTOR,
    OWN,
    PRIORITY,
    PROCESS_CONTROL,
    PERSONALITY,
    MEMORY_FILE,
    CONTROL,
    DESCRIPTOR_CONTROL,
    NODE,
    NODE_AT,
    SOCKET,
    PAIR,
    CONNECT,
    BIND,
    LISTEN,
    SEND,
    SEND_MESSAGE,
    SEND_MESSAGES,
    SOCKET_OPTION,
};

struct sandbox_call {
    const char *name;
    // The numbers on both machines; -1 where there is no such call.
    int16_t x86_64;
    int16_t aarch64;
    enum rule rule;
};

// The number of a call; -1 if the machine has none.
int sandbox_number_of(const struct sandbox_call *call, uint32_t machine);

// More than there are calls.
enum { SANDBOX_CALLS = 512 };

// The calls that the machine has, by their numbers; returns their count.
size_t sandbox_sort_calls(uint32_t machine, const struct sandbox_call *sorted[SANDBOX_CALLS]);
