// A program in a process group of its own, which ends at the latest with the host's process.
#ifndef STD_PROCESS_H
#define STD_PROCESS_H

#include "std.h"
#include <sys/types.h>

struct process {
    /* The number of the process, and of its group; 0 before the start, and after the end was noted. */
    pid_t id;
    /* Readable when the process has ended. */
    int ended;
    /* The host's end of its standard input, which never blocks; -1: it reads nothing. */
    int input;
    /* The host's ends of its standard output and its error output. */
    int output, errors;
    /* Its place among the running programs. */
    struct process *next, **previous;
};

/* Starts the program that `arguments[0]` names, looked up in PATH, without a shell. It has the host's folder
 * and environment, ignores and blocks no signal, and gets none of the host's descriptors. Returns 0 or an
 * errno. */
int process_start(struct process *process, char *const arguments[], int has_input);

/* Writes to its input as write(2) does, but without SIGPIPE. */
ssize_t process_write(const struct process *process, const char *data, size_t size);

/* Ends the whole group, with SIGTERM and after two seconds with SIGKILL. Blocks until then. Drops its output,
 * so that no process blocks on a full pipe. */
void process_end(struct process *process);

/* Takes the outcome of the ended process: its exit code with signal 0, or -1 with the signal that ended
 * it. */
void process_reap(struct process *process, int32_t *code, int32_t *signal);

/* Closes the descriptors that are still open. */
void process_close(struct process *process);

/* Closes one of them. */
void process_close_one(int *descriptor);

#endif
