// A call that waits on a thread of its own, and ends promptly when it is cancelled.
#ifndef STD_WORKER_H
#define STD_WORKER_H

#include "std.h"

/* The first member of what such a call needs. `run`, `release` and `name` are set before `worker_start`. */
struct worker {
    spin_call *call;
    /* Becomes readable, and stays so, when the call is cancelled: what `run` waits for beside its own. */
    int cancelled;
    /* The call's work, on its thread, where no signal is delivered. Returns when the work is done, failed
     * (`worker_fail`) or cancelled. */
    void (*run)(struct worker *worker);
    /* Frees the worker. */
    void (*release)(struct worker *worker);
    /* The thread's name, at most 15 bytes. */
    const char *name;
    /* Why it failed, or empty. */
    char failure[512];
};

/* Starts the thread, which ends the call once `run` has returned. Takes the worker over; NULL is answered as a want
 * of memory. */
void worker_start(spin_call *call, struct worker *worker);

/* Notes why the call failed: the text, and what `error` (an errno; 0: none) means. */
void worker_fail(struct worker *worker, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Waits until `descriptor` has any of `events` (of poll) or is closed by its other side; 0 when the call is cancelled
 * first. */
int worker_wait(const struct worker *worker, int descriptor, short events);

/* Whether what an emission was answered lets the work go on; if not, why is noted where there is something to say. */
int worker_goes_on(struct worker *worker, spin_status status);

#endif
