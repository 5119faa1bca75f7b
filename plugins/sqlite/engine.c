#include "engine.h"
#include "instance.h"
#include "job.h"
#include "../common/instance/create.h"
#include <errno.h>

int engine_init(struct engine *engine) { return create_lock(&engine->turn, &engine->changed); }

static int wait_until(struct engine *engine, int64_t time) {
    if (time == INT64_MAX)
        return pthread_cond_wait(&engine->changed, &engine->turn);
    struct timespec until = {time / 1000000000, time % 1000000000};
    return pthread_cond_timedwait(&engine->changed, &engine->turn, &until);
}

// Waits for a job, until this time. Without one `*job` is NULL. 0 at the end of the thread.
static int next_job(struct engine *engine, int64_t time, struct job **job) {
    int error = 0;
    pthread_mutex_lock(&engine->turn);
    while (engine->is_open && !engine->first && error != ETIMEDOUT)
        error = wait_until(engine, time);
    int is_open = engine->is_open;
    *job = engine->current = engine->first;
    if (*job && !(engine->first = (*job)->next))
        engine->last = NULL;
    pthread_mutex_unlock(&engine->turn);
    return is_open || *job;
}

static void *run(void *context) {
    spin_self *self = context;
    struct engine *engine = &self->engine;
    for (struct job *job; next_job(engine, watch_due(self), &job);) {
        if (job && !engine_is_cancelled(engine))
            job_run(job);
        pthread_mutex_lock(&engine->turn);
        engine->current = NULL;
        pthread_mutex_unlock(&engine->turn);
        if (job)
            job_drop(job);
        watch_look(self);
    }
    watch_end(self);
    return NULL;
}

int engine_start(spin_self *self) {
    struct engine *engine = &self->engine;
    engine->is_open = 1;
    return thread_start(&engine->thread, run, self);
}

void engine_stop(spin_self *self) {
    struct engine *engine = &self->engine;
    pthread_mutex_lock(&engine->turn);
    engine->is_open = 0;
    for (struct job *job = engine->first; job; job = job->next)
        atomic_store(&job->is_cancelled, 1);
    if (engine->current) {
        sqlite3_interrupt(self->connection.database);
        atomic_store(&engine->current->is_cancelled, 1);
    }
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->turn);
    pthread_join(engine->thread, NULL);
}

void engine_destroy(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    while (engine->jobs > 0)
        pthread_cond_wait(&engine->changed, &engine->turn);
    pthread_mutex_unlock(&engine->turn);
    pthread_cond_destroy(&engine->changed);
    pthread_mutex_destroy(&engine->turn);
}

void engine_count(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    engine->jobs++;
    pthread_mutex_unlock(&engine->turn);
}

void engine_add(struct engine *engine, struct job *job) {
    pthread_mutex_lock(&engine->turn);
    if (engine->last)
        engine->last->next = job;
    else
        engine->first = job;
    engine->last = job;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->turn);
}

void engine_cancel(spin_self *self, struct job *job) {
    struct engine *engine = &self->engine;
    pthread_mutex_lock(&engine->turn);
    // Before the thread can see the cancellation, whose roll back the interrupt would end.
    if (engine->current == job)
        sqlite3_interrupt(self->connection.database);
    atomic_store(&job->is_cancelled, 1);
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->turn);
}

void engine_forget(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    engine->jobs--;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->turn);
}

int engine_is_cancelled(struct engine *engine) {
    return engine->current && atomic_load(&engine->current->is_cancelled);
}

int engine_wait(struct engine *engine, int64_t time) {
    int is_over, error = 0;
    pthread_mutex_lock(&engine->turn);
    while (!(is_over = engine_is_cancelled(engine)) && error != ETIMEDOUT)
        error = wait_until(engine, time);
    pthread_mutex_unlock(&engine->turn);
    return !is_over;
}
