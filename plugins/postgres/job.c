#include "job.h"
#include "instance.h"
#include <string.h>

void job_begin(spin_call *call, spin_self *self, enum job_kind kind, spin_list_postgres_statement statements,
               spin_string channel) {
    struct job *job = engine_call_make(&self->engine, call, sizeof *job + statements_size(statements));
    if (!job)
        return;
    job->kind = kind;
    job->statements = statements_copy(statements, job + 1);
    job->count = statements.count;
    if (channel.size > 0)
        memcpy(job->name, channel.data, channel.size);
    engine_call_begin(&job->base);
}
