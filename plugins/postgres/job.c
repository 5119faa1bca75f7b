#include "job.h"
#include "instance.h"
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

void job_begin(spin_call *call, spin_self *self, enum job_kind kind, spin_list_postgres_statement statements,
               spin_string channel) {
    static const struct lasting_kind functions = {release, over, ring, discard};
    struct job *job = calloc(1, sizeof *job + statements_size(statements));
    if (!job) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return;
    }
    job->self = self;
    job->call = call;
    job->kind = kind;
    job->statements = statements_copy(statements, job + 1);
    job->count = statements.count;
    if (channel.size > 0)
        memcpy(job->name, channel.data, channel.size);
    lasting_init(&job->lasting, &functions);
    engine_count(&self->engine);
    if (lasting_begin(&job->lasting, call))
        engine_add(&self->engine, &job->lasting);
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

int job_is_over(const struct job *job) { return atomic_load(&job->lasting.is_over); }

void job_drop(struct job *job) { lasting_drop(&job->lasting); }
