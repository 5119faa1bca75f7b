// A call that waits on a thread of its own, and ends at once when it is cancelled.
#ifndef STD_WORKER_H
#define STD_WORKER_H

#include "std.h"

/* The first member of such a call's data. The caller sets `run`, `release` and `name` before
 * `worker_start`. */
struct worker {
    spin_call *call;
    /* Readable from the moment when the call is cancelled. `run` waits for this beside its own
     * descriptors. */
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

/* Starts the thread, which ends the call when `run` has returned. Takes over the worker. NULL fails the call
 * for want of memory. */
void worker_start(spin_call *call, struct worker *worker);

/* Stores the reason why the call failed: the text, and the text of `error` (an errno; 0: none). */
void worker_fail(struct worker *worker, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Waits until `descriptor` has any of `events` (of poll) or is closed by its other side; 0 when the call is
 * cancelled first. */
int worker_wait(const struct worker *worker, int descriptor, short events);

/* Whether the work may continue after an emission that returned `status`. If not, stores the reason, if there
 * is one to report. */
int worker_goes_on(struct worker *worker, spin_status status);

#endif
