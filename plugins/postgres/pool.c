#include "pool.h"
#include "instance.h"
#include <stdlib.h>

int pool_init(struct pool *pool, spin_self *self) {
    pool->count = (size_t)self->config->most_connections;
    pool->last = &pool->first;
    pool->workers = calloc(pool->count, sizeof *pool->workers);
    for (size_t i = 0; pool->workers && i < pool->count; i++)
        worker_init(&pool->workers[i], self);
    return pool->workers != NULL;
}

void pool_free(struct pool *pool) { free(pool->workers); }

void pool_take(spin_self *self, struct job *job) {
    struct pool *pool = &self->pool;
    if (pool->waiting >= (size_t)self->config->most_waiting) {
        engine_call_fail(&job->base, POSTGRES_TOO_MANY,
                         "too many calls wait for a connection (setting `most_waiting`)");
        return;
    }
    job->next = NULL;
    *pool->last = job;
    pool->last = &job->next;
    pool->waiting++;
}

static struct job *remove_first(struct pool *pool) {
    struct job *job = pool->first;
    pool->first = job->next;
    if (!pool->first)
        pool->last = &pool->first;
    pool->waiting--;
    return job;
}

void pool_sweep(spin_self *self) {
    struct pool *pool = &self->pool;
    pool->last = &pool->first;
    for (struct job *job; (job = *pool->last);) {
        if (!engine_call_is_over(&job->base)) {
            pool->last = &job->next;
            continue;
        }
        *pool->last = job->next;
        pool->waiting--;
        engine_call_drop(&job->base);
    }
    for (size_t i = 0; i < pool->count; i++)
        if (pool->workers[i].job && engine_call_is_over(&pool->workers[i].job->base))
            worker_cancel(&pool->workers[i]);
}

void pool_check(spin_self *self, int64_t now) {
    for (size_t i = 0; i < self->pool.count; i++) {
        struct worker *worker = &self->pool.workers[i];
        connection_check(&worker->connection, now);
        worker_resume(worker);
    }
}

void pool_cannot_connect(spin_self *self, struct worker *worker, const char *reason) {
    struct pool *pool = &self->pool;
    instance_report(self, reason);
    // As long as there are others, they serve the calls.
    for (size_t i = 0; i < pool->count; i++)
        if (pool->workers[i].connection.state != CONNECTION_IS_CLOSED) {
            worker->rest_until = spin_monotonic() + self->config->reconnect_least;
            return;
        }
    while (pool->first)
        engine_call_fail(&remove_first(pool)->base, POSTGRES_NOT_CONNECTED, reason);
}

// A connection that can take a statement at once, or one that may be opened.
static struct worker *find(spin_self *self, int64_t now) {
    struct pool *pool = &self->pool;
    struct worker *closed = NULL;
    size_t opening = 0;
    for (size_t i = 0; i < pool->count; i++) {
        struct worker *worker = &pool->workers[i];
        enum connection_state state = worker->connection.state;
        if (worker_is_free(worker))
            return worker;
        opening += state != CONNECTION_IS_CLOSED && state < CONNECTION_IS_IDLE;
        if (state != CONNECTION_IS_CLOSED || worker->job)
            continue;
        if (worker->rest_until > now)
            instance_come(self, worker->rest_until);
        else if (!closed)
            closed = worker;
    }
    return opening < pool->waiting ? closed : NULL;
}

void pool_serve(spin_self *self) {
    struct pool *pool = &self->pool;
    int64_t now = spin_monotonic();
    for (struct worker *worker; pool->first && (worker = find(self, now));) {
        if (!worker_is_free(worker))
            connection_open(&worker->connection);
        else if (!connection_is_alive(&worker->connection))
            connection_close(&worker->connection); // The server has gone meanwhile.
        else
            worker_begin(worker, remove_first(pool));
    }
}

void pool_end(spin_self *self) {
    struct pool *pool = &self->pool;
    while (pool->first)
        engine_call_drop(&remove_first(pool)->base);
    for (size_t i = 0; i < pool->count; i++) {
        worker_cancel(&pool->workers[i]);
        connection_close(&pool->workers[i].connection);
    }
}
