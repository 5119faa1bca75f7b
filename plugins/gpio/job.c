#include "job.h"
#include "instance.h"
#include <string.h>

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
    const spin_string *name = names.items;
    size_t size = sizeof(struct job) + names.count * (sizeof(spin_string) + 1);
    for (size_t i = 0; i < names.count; i++)
        size += name[i].size;
    struct job *job = engine_call_make(&self->engine, call, size);
    if (!job)
        return NULL;
    job->kind = kind;
    job->count = names.count;
    copy(job, names);
    if (kind == JOB_EDGES)
        engine_call_read_key(&job->base);
    return job;
}
