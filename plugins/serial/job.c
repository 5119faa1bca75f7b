#include "job.h"
#include "instance.h"

static void release(struct engine_call *call) {
    struct job *job = (struct job *)call;
    atomic_fetch_sub(&call->engine->self->writer.unsent, atomic_exchange(&job->reserved, 0));
}

struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, size_t size) {
    struct job *job = engine_call_make(&self->engine, call, sizeof *job + size);
    if (!job)
        return NULL;
    engine_call_read_key(&job->base);
    job->base.release = release;
    job->kind = kind;
    job->size = size;
    return job;
}
