#include "job.h"
#include "instance.h"
#include <stddef.h>
#include <stdlib.h>

struct job *job_of(struct lasting *lasting) {
    return (struct job *)((char *)lasting - offsetof(struct job, lasting));
}

static void release(struct lasting *lasting) {
    struct job *job = job_of(lasting);
    atomic_fetch_sub(&job->self->writer.unsent, atomic_exchange(&job->reserved, 0));
}

static void over(struct lasting *lasting) { engine_note_end(&job_of(lasting)->self->engine); }

static void ring(struct lasting *lasting) { engine_ring(&job_of(lasting)->self->engine); }

static void discard(struct lasting *lasting) {
    struct job *job = job_of(lasting);
    spin_self *self = job->self;
    release(lasting);
    free(job);
    engine_forget(&self->engine);
}

struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, size_t size) {
    static const struct lasting_kind functions = {release, over, ring, discard};
    struct job *job = calloc(1, sizeof *job + size);
    if (!job) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return NULL;
    }
    job->self = self;
    job->call = call;
    job->kind = kind;
    job->size = size;
    lasting_init(&job->lasting, &functions);
    engine_count(&self->engine);
    return job;
}

void job_begin(struct job *job) {
    if (lasting_begin(&job->lasting, job->call))
        engine_add(&job->self->engine, &job->lasting);
    else
        job_drop(job);
}

static void end(struct job *job, const char *reason) {
    lasting_end(&job->lasting, job->call, SPIN_FAILED, reason);
    job_drop(job);
}

void job_finish(struct job *job) { end(job, NULL); }
void job_fail(struct job *job, const char *reason) { end(job, reason); }

int job_continues(struct job *job, spin_status status) {
    return lasting_continues(&job->lasting, job->call, status);
}

void job_drop(struct job *job) { lasting_drop(&job->lasting); }
