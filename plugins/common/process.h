// Whether a saved state comes from this process. A number alone does not say it: in a container each process may be 1.
#ifndef COMMON_PROCESS_H
#define COMMON_PROCESS_H

#include <stdint.h>

/* A process among all of this machine, at any time. A copy of its bytes may be saved. */
struct process {
    uint64_t number, start; /* when it began, in ticks since the machine did; 0 if that cannot be known */
    char boot[40];          /* the name that the machine has given itself at its start */
};

/* This process, for all of its libraries. */
struct process process_own(void);

/* Whether it is this process. Not if that cannot be known. */
int process_is_own(const struct process *process);

/* The process of the host: this one, or the one that has started this worker; and whether it is that one. */
struct process process_host(void);
int process_is_host(const struct process *process);

/* Whether it is a worker of the host. The next version of a plugin then has another process. */
int process_is_worker(void);

#endif
