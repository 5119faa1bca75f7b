#include "job.h"
#include "instance.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct job *job_of(struct lasting *lasting) {
    return (struct job *)((char *)lasting - offsetof(struct job, lasting));
}

static void release(struct lasting *lasting) { (void)lasting; }

static void over(struct lasting *lasting) { engine_note_end(&job_of(lasting)->self->engine); }

static void ring(struct lasting *lasting) { engine_ring(&job_of(lasting)->self->engine); }

static void discard(struct lasting *lasting) {
    struct job *job = job_of(lasting);
    spin_self *self = job->self;
    free(job);
    engine_forget(&self->engine);
}

// Copies the names behind the job.
static void copy(struct job *job, spin_list_string names) {
    const spin_string *name = names.items;
    char *place = (char *)(job->names + names.count);
    for (size_t i = 0; i < names.count; i++) {
        if (name[i].size > 0)
            memcpy(place, name[i].data, name[i].size);
        job->names[i] = (spin_string){place, name[i].size};
        place += name[i].size + 1;
    }
}

struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, spin_list_string names) {
    static const struct lasting_kind functions = {release, over, ring, discard};
    const spin_string *name = names.items;
    size_t size = sizeof(struct job) + names.count * (sizeof(spin_string) + 1);
    for (size_t i = 0; i < names.count; i++)
        size += name[i].size;
    struct job *job = calloc(1, size);
    if (!job) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return NULL;
    }
    job->self = self;
    job->call = call;
    job->kind = kind;
    job->count = names.count;
    copy(job, names);
    if (kind == JOB_EDGES && spin_run_key(call, job->key, sizeof job->key) != SPIN_OK)
        job->key[0] = 0;
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

void job_finish(struct job *job) {
    lasting_end(&job->lasting, job->call, SPIN_OK, NULL);
    job_drop(job);
}

void job_fail(struct job *job, spin_status code, const char *reason) {
    lasting_end(&job->lasting, job->call, code, reason);
    job_drop(job);
}

int job_continues(struct job *job, spin_status status) {
    return lasting_continues(&job->lasting, job->call, status);
}

void job_drop(struct job *job) { lasting_drop(&job->lasting); }
