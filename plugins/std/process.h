// A program in a process group of its own.
#ifndef STD_PROCESS_H
#define STD_PROCESS_H

#include "std.h"
#include <sys/types.h>

struct process {
    /* Of the process, and of its group. */
    pid_t id;
    /* Readable when the process has ended. */
    int ended;
    /* What it reads, -1: nothing. Never blocks. */
    int input;
    /* What it writes to its standard and its error output. */
    int output, errors;
};

/* Starts the program that `arguments[0]` names, looked up in PATH, without a shell: with the host's folder and
 * environment, no signal ignored or blocked, and no descriptor of the host's. 0 or an errno. */
int process_start(struct process *process, char *const arguments[], int has_input);

/* Sends a signal to the whole group; before `process_reap` only, as afterwards the number may be another's. */
void process_signal(const struct process *process, int number);

/* Takes the ended process's outcome: its exit code with signal 0, or -1 with the signal that ended it. */
void process_reap(struct process *process, int32_t *code, int32_t *signal);

/* Closes what is left of the descriptors. */
void process_close(struct process *process);

/* Closes one of them. */
void process_close_one(int *descriptor);

#endif
