#include "job.h"
#include "instance.h"
#include <stdlib.h>

// The next call may need the bytes as soon as the host knows that this one is over.
static void release(struct job *job) {
    atomic_fetch_sub(&job->self->writer.unsent, atomic_exchange(&job->reserved, 0));
}

static void mark_cancelled(struct job *job) {
    atomic_store(&job->is_cancelled, 1);
    atomic_store(&job->self->engine.has_ends, 1);
    engine_ring(job->self);
}

// On any thread of the host.
static void cancel(void *context) {
    struct job *job = context;
    release(job);
    mark_cancelled(job);
    job_drop(job);
}

struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, size_t size) {
    struct job *job = calloc(1, sizeof *job + size);
    if (!job) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return NULL;
    }
    job->self = self;
    job->call = call;
    job->kind = kind;
    job->size = size;
    atomic_init(&job->holders, 2); // the engine, and `cancel`
    engine_count(self);
    return job;
}

void job_begin(struct job *job) {
    if (spin_on_cancel(job->call, cancel, job) == SPIN_OK) {
        engine_add(job);
    } else { // The call is over.
        job_drop(job);
        job_drop(job);
    }
}

void job_finish(struct job *job) {
    release(job);
    if (spin_finish(job->call) == SPIN_OK)
        job_drop(job); // not the last hold: the engine has one
    job_drop(job);
}

void job_fail(struct job *job, const char *reason) {
    release(job);
    if (spin_fail(job->call, SPIN_FAILED, reason) == SPIN_OK)
        job_drop(job);
    job_drop(job);
}

// On a thread of the host.
static void has_room(void *context) {
    struct job *job = context;
    atomic_store(&job->waits_for_room, 0);
    engine_ring(job->self);
    job_drop(job);
}

int job_continues(struct job *job, spin_status status) {
    // With SPIN_BAD_VALUE the host has reported that the manifest can make no event of this emission.
    if (status == SPIN_OK || status == SPIN_BAD_VALUE)
        return 1;
    if (status == SPIN_FULL) {
        atomic_store(&job->waits_for_room, 1);
        atomic_fetch_add(&job->holders, 1);
        status = spin_on_room(job->call, has_room, job);
        if (status == SPIN_OK)
            return 0;
        atomic_store(&job->waits_for_room, 0);
        job_drop(job);
    }
    if (status != SPIN_CANCELLED && status != SPIN_STOPPED &&
        spin_fail(job->call, SPIN_FAILED, "the loop's mailbox can never hold what it emits") == SPIN_OK)
        job_drop(job);
    mark_cancelled(job);
    return 0;
}

int job_can_emit(const struct job *job) {
    return !atomic_load(&job->is_cancelled) && !atomic_load(&job->waits_for_room);
}

void job_drop(struct job *job) {
    if (atomic_fetch_sub(&job->holders, 1) != 1)
        return;
    spin_self *self = job->self;
    release(job);
    free(job);
    engine_forget(self);
}
