#include "job.h"
#include "instance.h"
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <string.h>

// A command that the server has counts until its answer has come, also if its call is over.
static void dispose(struct engine_call *call) {
    struct job *job = (struct job *)call;
    if (job->is_waiting)
        atomic_fetch_sub(&call->engine->self->waiting, 1);
    redisFreeCommand(job->request.bytes);
}

// Makes a job with copies of its texts; NULL without memory: the call has failed.
static struct job *make(spin_call *call, spin_self *self, const struct words *texts) {
    size_t size = 0;
    for (size_t i = 0; i < texts->count; i++)
        size += texts->sizes[i] + 1;
    size_t list = texts->count * (sizeof(char *) + sizeof(size_t));
    struct job *job = engine_call_make(&self->engine, call, sizeof *job + list + size);
    if (!job)
        return NULL;
    job->texts = (const char **)(job + 1);
    job->sizes = (size_t *)(job->texts + texts->count);
    job->text_count = texts->count;
    char *next = (char *)(job->sizes + texts->count);
    for (size_t i = 0; i < texts->count; i++) {
        if (texts->sizes[i] > 0)
            memcpy(next, texts->data[i], texts->sizes[i]);
        job->texts[i] = next;
        job->sizes[i] = texts->sizes[i];
        next += texts->sizes[i] + 1;
    }
    return job;
}

struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, const struct words *texts) {
    static const struct words none = {0};
    // The bytes of a command are a copy already.
    struct job *job = make(call, self, kind == JOB_COMMAND ? &none : texts);
    if (!job)
        return NULL;
    job->base.dispose = dispose;
    job->kind = kind;
    job->request.kind = REQUEST_COMMAND;
    job->request.answers = 1;
    job->request.job = job;
    if (kind == JOB_COMMAND && !request_write(&job->request, texts)) {
        engine_call_refuse(&job->base, SPIN_NO_MEMORY, "no memory");
        return NULL;
    }
    engine_call_read_key(&job->base);
    job->is_waiting = kind == JOB_COMMAND || kind == JOB_ACKNOWLEDGE;
    if (job->is_waiting && atomic_fetch_add(&self->waiting, 1) >= self->config->most_waiting) {
        char reason[128];
        snprintf(reason, sizeof reason, "%d commands wait already (setting `most_waiting`)",
                 self->config->most_waiting);
        engine_call_refuse(&job->base, REDIS_TOO_MANY, reason);
        return NULL;
    }
    return job;
}

int job_end(struct job *job, spin_status code, const char *reason) {
    if (engine_call_is_over(&job->base))
        return 0;
    int is_ended = lasting_end(&job->base.lasting, job->base.call, code, reason);
    atomic_store(&job->base.lasting.is_over, 1);
    return is_ended;
}
