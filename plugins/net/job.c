#include "job.h"
#include "instance.h"
#include <string.h>

struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, spin_bytes data) {
    struct job *job =
        engine_call_make(&self->engine, call, sizeof *job + longest_prefix + data.size + longest_delimiter);
    if (!job)
        return NULL;
    job->kind = kind;
    job->begin = longest_prefix;
    job->size = data.size;
    if (data.size > 0)
        memcpy(job->data + job->begin, data.data, data.size);
    return job;
}
