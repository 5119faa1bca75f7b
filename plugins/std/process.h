// A program in a process group of its own.
#ifndef STD_PROCESS_H
#define STD_PROCESS_H

#include "std.h"
#include <sys/types.h>

struct process {
    /* The number of the process, and of its group. */
    pid_t id;
    /* Readable when the process has ended. */
    int ended;
    /* The host's end of its standard input, which never blocks; -1: it reads nothing. */
    int input;
    /* The host's ends of its standard output and its error output. */
    int output, errors;
};

/* Starts the program that `arguments[0]` names, looked up in PATH, without a shell. It has the host's folder
 * and environment, ignores and blocks no signal, and gets none of the host's descriptors. Returns 0 or an
 * errno. */
int process_start(struct process *process, char *const arguments[], int has_input);

/* Sends a signal to the whole group. Not after `process_reap`: another process may have the number then. */
void process_signal(const struct process *process, int number);

/* Takes the outcome of the ended process: its exit code with signal 0, or -1 with the signal that ended
 * it. */
void process_reap(struct process *process, int32_t *code, int32_t *signal);

/* Closes the descriptors that are still open. */
void process_close(struct process *process);

/* Closes one of them. */
void process_close_one(int *descriptor);

#endif
