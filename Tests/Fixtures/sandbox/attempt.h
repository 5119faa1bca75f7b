// What the attempts have in common. Each is a function that prints what came of it.
#pragma once
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Prints `allowed`, or the name of the `errno` that a call has left.
static inline long tell(const char *what, long result) {
    dprintf(1, "%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "allowed");
    return result;
}

#define TRY(call) tell(#call, call)
