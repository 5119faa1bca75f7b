#include "job.h"
#include "instance.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(done);

static const struct {
    const char *does; /* what it does to its path, for a message */
    int (*run)(struct job *job, struct problem *problem);
} kinds[] = {
    [JOB_READ] = {"read", answer_with_text},
    [JOB_READ_BYTES] = {"read", answer_with_bytes},
    [JOB_GLOB] = {"look for", answer_with_paths},
    [JOB_WRITE] = {"write", write_file},
    [JOB_APPEND] = {"append to", append_to_file},
    [JOB_REMOVE] = {"remove", remove_path},
    [JOB_MOVE] = {"move", move_path},
    [JOB_MAKE_FOLDER] = {"make the folder", make_folders},
};

void job_begin(spin_call *call, spin_self *self, enum job_kind kind, const char *path, const char *to,
               spin_bytes data) {
    size_t path_size = strlen(path) + 1, to_size = to ? strlen(to) + 1 : 0;
    struct job *job = calloc(1, sizeof *job + path_size + to_size + data.size);
    if (!job) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return;
    }
    job->self = self;
    job->call = call;
    job->kind = kind;
    char *copies = (char *)(job + 1);
    job->path = memcpy(copies, path, path_size);
    if (to)
        job->to = memcpy(copies + path_size, to, to_size);
    job->data = (spin_bytes){(uint8_t *)copies + path_size + to_size, data.size};
    if (data.size > 0)
        memcpy(copies + path_size + to_size, data.data, data.size);
    if (spin_run_key(call, job->key, sizeof job->key) != SPIN_OK)
        job->key[0] = 0;
    queue_add(self, job);
}

// Changes files, unless an earlier call of the same run has done so, and only the answer is missing.
static int change(struct job *job, struct problem *problem) {
    struct once *done = &job->self->done;
    if (!job->key[0])
        return kinds[job->kind].run(job, problem);
    if (once_knows(done, job->key))
        return 1;
    // Before the change, which could not be remembered without memory.
    char *key = strdup(job->key);
    if (!key)
        return problem_set(problem, ENOMEM, NULL);
    if (kinds[job->kind].run(job, problem)) {
        once_add(done, key);
        return 1;
    }
    free(key);
    return 0;
}

void job_run(struct job *job) {
    struct problem problem;
    int changes = job->kind >= JOB_WRITE;
    if (!(changes ? change(job, &problem) : kinds[job->kind].run(job, &problem)))
        job_fail(job, &problem);
    else if (changes)
        job_finish(job, spin_wait_done(job->call, SPIN_FOREVER), 0);
}

/* What the host takes from a worker at a time, less what a message has besides. */
static const size_t largest_emission = (32 << 20) - 65536;

void job_finish(struct job *job, spin_status status, size_t size) {
    if (status == SPIN_CANCELLED || status == SPIN_STOPPED)
        return;
    if (status == SPIN_BAD_VALUE && size >= largest_emission)
        job_fail(job, &(struct problem){EFBIG, "the host refuses so much; from a worker it takes 32 MiB"});
    else if (status == SPIN_OK || status == SPIN_BAD_VALUE)
        // A smaller one can be refused for the manifest alone, and then the host has reported it.
        spin_finish(job->call);
    else
        job_fail(job, &(struct problem){ENOBUFS, "the loop's mailbox can never hold what it emits"});
}

void job_fail(struct job *job, const struct problem *problem) {
    const char *does = kinds[job->kind].does;
    char *text = NULL;
    int size = job->to
                   ? asprintf(&text, "cannot %s `%s` to `%s`: %s", does, job->path, job->to, problem->reason)
                   : asprintf(&text, "cannot %s `%s`: %s", does, job->path, problem->reason);
    spin_fail(job->call, -problem->error, size < 0 ? problem->reason : text);
    if (size >= 0)
        free(text);
}

int job_is_over(struct job *job, struct problem *problem) {
    if (!spin_cancelled(job->call))
        return 0;
    problem_set(problem, ECANCELED, NULL);
    return 1;
}

void job_free(struct job *job) { free(job); }
