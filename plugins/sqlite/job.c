#include "job.h"
#include "instance.h"
#include <stdlib.h>
#include <string.h>

// On any thread of the host.
static void cancel(void *context) {
    struct job *job = context;
    engine_cancel(job->self, job);
    job_drop(job);
}

static void *copy(const void *data, size_t size, uint8_t **free) {
    void *target = *free;
    if (size > 0)
        memcpy(target, data, size);
    *free += size;
    return target;
}

// A NUL follows each text.
static spin_string copy_text(spin_string text, uint8_t **free) {
    const char *data = copy(text.data, text.size, free);
    *(*free)++ = 0;
    return (spin_string){data, text.size};
}

static size_t copies_size(spin_list_sqlite_statement statements) {
    size_t size = statements.count * sizeof(sqlite_statement);
    for (size_t i = 0; i < statements.count; i++) {
        spin_list_sqlite_parameter parameters = statements.items[i].parameters;
        size += statements.items[i].sql.size + 1 + parameters.count * sizeof(sqlite_parameter);
        for (size_t j = 0; j < parameters.count; j++)
            size += (parameters.items[j].text.has ? parameters.items[j].text.value.size + 1 : 0) +
                    (parameters.items[j].blob.has ? parameters.items[j].blob.value.size : 0);
    }
    return size;
}

static void copy_statements(struct job *job, spin_list_sqlite_statement statements) {
    uint8_t *free = (uint8_t *)(job + 1);
    job->count = statements.count;
    job->statements = copy(statements.items, statements.count * sizeof(sqlite_statement), &free);
    // First what is aligned, then the bytes.
    for (size_t i = 0; i < job->count; i++) {
        spin_list_sqlite_parameter *parameters = &job->statements[i].parameters;
        parameters->items = copy(parameters->items, parameters->count * sizeof(sqlite_parameter), &free);
    }
    for (size_t i = 0; i < job->count; i++) {
        sqlite_statement *statement = &job->statements[i];
        statement->sql = copy_text(statement->sql, &free);
        for (size_t j = 0; j < statement->parameters.count; j++) {
            sqlite_parameter *parameter = (sqlite_parameter *)&statement->parameters.items[j];
            if (parameter->text.has)
                parameter->text.value = copy_text(parameter->text.value, &free);
            if (parameter->blob.has)
                parameter->blob.value.data =
                    copy(parameter->blob.value.data, parameter->blob.value.size, &free);
        }
    }
}

void job_begin(spin_call *call, spin_self *self, enum job_kind kind, spin_list_sqlite_statement statements) {
    struct job *job = calloc(1, sizeof *job + copies_size(statements));
    if (!job) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return;
    }
    job->self = self;
    job->call = call;
    job->kind = kind;
    atomic_init(&job->holders, 2); // the thread, and `cancel`
    copy_statements(job, statements);
    engine_count(&self->engine);
    if (spin_on_cancel(call, cancel, job) == SPIN_OK) {
        engine_add(&self->engine, job);
    } else { // The call is over.
        job_drop(job);
        job_drop(job);
    }
}

/* What the host takes from a worker at a time, less what a message has besides. */
enum { largest_emission = (32 << 20) - 65536 };

void job_finish(struct job *job, spin_status status, int64_t size) {
    struct problem problem;
    if (status == SPIN_CANCELLED || status == SPIN_STOPPED)
        return;
    if (status == SPIN_BAD_VALUE && size >= largest_emission) {
        problem_set(&problem, SQLITE_TOOBIG,
                    "the host refuses an answer of %lld bytes; from a worker it takes 32 MiB",
                    (long long)size);
        job_fail(job, &problem);
    } else if (status == SPIN_OK || status == SPIN_BAD_VALUE) {
        // A smaller one can be refused for the manifest alone, and then the host has reported it.
        if (spin_finish(job->call) == SPIN_OK)
            job_drop(job); // not the last hold: the thread has one
    } else {
        problem_set(&problem, SQLITE_TOOBIG, "the loop's mailbox can never hold what it emits");
        job_fail(job, &problem);
    }
}

void job_fail(struct job *job, const struct problem *problem) {
    if (spin_fail(job->call, -problem->code, problem->text) == SPIN_OK)
        job_drop(job);
}

void job_drop(struct job *job) {
    if (atomic_fetch_sub(&job->holders, 1) != 1)
        return;
    struct engine *engine = &job->self->engine;
    free(job);
    engine_forget(engine);
}
