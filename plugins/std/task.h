// A call that continues after its effect has returned. It has no thread: it is a state machine, `step`, which
// the host drives with polls and with functions for work and for room.
//
// Ownership. These hold the task: the effect until it returns, each poll and timer until the host releases it, and each
// function that the host will call until it returns. The last of them calls `release`. The end of a call ends
// its polls and timers, and calls its function for room. So a task needs no function for its cancellation.
//
// Threads. `step` runs under the task's lock, on the host's poll thread or on a thread that may block.
#ifndef STD_TASK_H
#define STD_TASK_H

#include "std.h"
#include <pthread.h>
#include <stdatomic.h>

struct task;

enum task_wait { task_waits_not, task_waits_for_thread, task_waits_for_room };

/* A descriptor that a task watches. A zeroed one watches nothing. */
struct source {
    struct task *task;
    struct source *next;
    spin_poll poll;
    uint64_t events;
};

/* The first member of such a call's data. */
struct task {
    spin_call *call;
    /* Does what can be done now. `ready` is the source that is ready; `step` must not block then. NULL on a
     * thread that may block: the task begins, `task_submit` asked for it, or there is room again. Then `step`
     * must try the emission again that found no room. */
    void (*step)(struct task *task, struct source *ready);
    /* Frees what belongs to the call, and then the task. */
    void (*release)(struct task *task);
    pthread_mutex_t turn;
    atomic_int holders;
    atomic_int has_woken; /* set when the time of a `task_wake_after` has passed */
    /* What `step` has asked for. Sources are paused until the host calls `step` for it. */
    enum task_wait waits;
    struct source *sources;
};

/* Makes a zeroed task of `size` bytes, which the caller holds. NULL without memory: the call has failed. */
void *task_make(spin_call *call, size_t size, void (*step)(struct task *task, struct source *ready),
                void (*release)(struct task *task));

/* Has `step` called on a thread of the host that may block, and drops the caller's hold. */
void task_start(struct task *task);

/* Drops one hold. */
void task_drop(struct task *task);

/* Frees the memory of a task. For `release`. */
void task_free(struct task *task);

/* Has `step` called again on a thread of the host that may block, when it has returned. */
void task_submit(struct task *task);

/* Has `step` called on a thread of the host that may block, when this time has passed. It is not called if `step` waits
 * for a thread or for room then, as it comes anyway. */
void task_wake_after(struct task *task, spin_duration time);

/* Has `step` called while `descriptor` is ready for `events` (of spin.poll/1). 0: `step` must return. */
int task_watch(struct task *task, struct source *source, int descriptor, uint64_t events);

/* Ends that. The descriptor may be closed then. */
void task_unwatch(struct source *source);

/* Whether the host can watch a descriptor. Otherwise, as for regular files, reads of it may block. */
int can_be_watched(int descriptor);

/* Whether `step` may continue after an emission that returned `status`. If not, it must return. */
int task_continues(struct task *task, spin_status status);

/* Fails the call: the text, and the text of `error` (an errno; 0: none). `step` must return then. */
void task_fail(struct task *task, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
