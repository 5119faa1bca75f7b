#include "job.h"
#include "instance.h"
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job *job_of(struct lasting *lasting) {
    return (struct job *)((char *)lasting - offsetof(struct job, lasting));
}

// A command that the server has counts until its answer has come, also if its call is over.
static void release(struct lasting *lasting) { (void)lasting; }

static void over(struct lasting *lasting) { engine_note_end(&job_of(lasting)->self->engine); }

static void ring(struct lasting *lasting) { engine_ring(&job_of(lasting)->self->engine); }

static void free_job(struct job *job) {
    redisFreeCommand(job->request.bytes);
    free(job);
}

static void discard(struct lasting *lasting) {
    struct job *job = job_of(lasting);
    spin_self *self = job->self;
    if (job->is_waiting)
        atomic_fetch_sub(&self->waiting, 1);
    free_job(job);
    engine_forget(&self->engine);
}

// Memory for a job and its texts; NULL without memory.
static struct job *allocate(const struct words *texts) {
    size_t size = 0;
    for (size_t i = 0; i < texts->count; i++)
        size += texts->sizes[i] + 1;
    size_t list = texts->count * (sizeof(char *) + sizeof(size_t));
    struct job *job = calloc(1, sizeof *job + list + size);
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
    static const struct lasting_kind functions = {release, over, ring, discard};
    static const struct words none = {0};
    // The bytes of a command are a copy already.
    struct job *job = allocate(kind == JOB_COMMAND ? &none : texts);
    if (job && kind == JOB_COMMAND && !request_write(&job->request, texts)) {
        free(job);
        job = NULL;
    }
    if (!job) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return NULL;
    }
    job->self = self;
    job->call = call;
    job->kind = kind;
    job->request.kind = REQUEST_COMMAND;
    job->request.answers = 1;
    job->request.job = job;
    if (spin_run_key(call, job->key, sizeof job->key) != SPIN_OK)
        job->key[0] = 0;
    job->is_waiting = kind == JOB_COMMAND || kind == JOB_ACKNOWLEDGE;
    if (job->is_waiting && atomic_fetch_add(&self->waiting, 1) >= self->config->most_waiting) {
        char reason[128];
        atomic_fetch_sub(&self->waiting, 1);
        snprintf(reason, sizeof reason, "%d commands wait already (setting `most_waiting`)",
                 self->config->most_waiting);
        spin_fail(call, REDIS_TOO_MANY, reason);
        free_job(job);
        return NULL;
    }
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

int job_end(struct job *job, spin_status code, const char *reason) {
    if (atomic_load(&job->lasting.is_over))
        return 0;
    int is_ended = lasting_end(&job->lasting, job->call, code, reason);
    atomic_store(&job->lasting.is_over, 1);
    return is_ended;
}

void job_finish(struct job *job) {
    job_end(job, SPIN_OK, NULL);
    job_drop(job);
}

void job_fail(struct job *job, spin_status code, const char *reason) {
    job_end(job, code, reason);
    job_drop(job);
}

int job_is_over(const struct job *job) { return atomic_load(&job->lasting.is_over); }

int job_continues(struct job *job, spin_status status) {
    return lasting_continues(&job->lasting, job->call, status);
}

void job_drop(struct job *job) { lasting_drop(&job->lasting); }
