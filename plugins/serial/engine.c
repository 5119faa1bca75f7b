#include "engine.h"
#include "instance.h"
#include "job.h"
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int engine_init(struct engine *engine) {
    engine->events = engine->bell = -1;
    engine->last = &engine->first;
    int error = pthread_mutex_init(&engine->turn, NULL);
    if (error)
        return error;
    error = pthread_cond_init(&engine->changed, NULL);
    if (error)
        pthread_mutex_destroy(&engine->turn);
    return error;
}

void engine_destroy(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    while (engine->jobs > 0)
        pthread_cond_wait(&engine->changed, &engine->turn);
    pthread_mutex_unlock(&engine->turn);
    pthread_cond_destroy(&engine->changed);
    pthread_mutex_destroy(&engine->turn);
}

// The caller holds `turn`.
static void ring(struct engine *engine) {
    if (engine->bell >= 0)
        eventfd_write(engine->bell, 1);
}

void engine_ring(spin_self *self) {
    pthread_mutex_lock(&self->engine.turn);
    ring(&self->engine);
    pthread_mutex_unlock(&self->engine.turn);
}

void engine_count(spin_self *self) {
    pthread_mutex_lock(&self->engine.turn);
    self->engine.jobs++;
    pthread_mutex_unlock(&self->engine.turn);
}

void engine_add(struct job *job) {
    struct engine *engine = &job->self->engine;
    pthread_mutex_lock(&engine->turn);
    *engine->last = job;
    engine->last = &job->next;
    ring(engine);
    pthread_mutex_unlock(&engine->turn);
}

void engine_forget(spin_self *self) {
    pthread_mutex_lock(&self->engine.turn);
    self->engine.jobs--;
    pthread_cond_broadcast(&self->engine.changed);
    pthread_mutex_unlock(&self->engine.turn);
}

static void fire(void *context, uint64_t expirations) {
    struct engine *engine = &((spin_self *)context)->engine;
    (void)expirations;
    pthread_mutex_lock(&engine->turn);
    engine->has_fired = 1;
    ring(engine);
    pthread_mutex_unlock(&engine->turn);
}

// Sees to it that the function runs at this time. A timer that is due sooner does no harm.
static void arm(spin_self *self, int64_t due) {
    struct engine *engine = &self->engine;
    if (due >= engine->armed)
        return;
    if (engine->armed != INT64_MAX)
        spin_timer_cancel(engine->timer);
    int64_t left = due - spin_monotonic();
    spin_status status =
        spin_timer_start(engine->call, left > 0 ? left : 0, 0, fire, self, NULL, &engine->timer);
    engine->armed = status == SPIN_OK ? due : INT64_MAX;
}

// Gives each call that has come to the part that serves it.
static void take_jobs(spin_self *self) {
    struct engine *engine = &self->engine;
    eventfd_t rings;
    pthread_mutex_lock(&engine->turn);
    eventfd_read(engine->bell, &rings);
    if (engine->has_fired)
        engine->armed = INT64_MAX;
    engine->has_fired = 0;
    struct job *next = engine->first;
    engine->first = NULL;
    engine->last = &engine->first;
    pthread_mutex_unlock(&engine->turn);
    for (struct job *job; (job = next);) {
        next = job->next;
        job->next = NULL;
        if (atomic_load(&job->lasting.is_over))
            job_drop(job);
        else if (job->kind == JOB_READ)
            reader_take(self, job);
        else if (job->kind == JOB_OPEN || job->kind == JOB_SIGNALS)
            watch_take(self, job);
        else
            writer_take(self, job);
    }
}

static uint32_t device_events(spin_self *self) {
    struct epoll_event events[2];
    uint32_t found = 0;
    int count = epoll_wait(self->engine.events, events, 2, 0);
    for (int i = 0; i < count; i++)
        if (events[i].data.u32 == ENGINE_DEVICE)
            found |= events[i].events;
    return found;
}

static int64_t earlier(int64_t first, int64_t second) { return first < second ? first : second; }

static void run(void *context, uint64_t ready) {
    spin_self *self = context;
    (void)ready;
    uint32_t events = device_events(self);
    take_jobs(self);
    if (atomic_exchange(&self->engine.has_ends, 0)) {
        reader_sweep(self);
        writer_sweep(self);
        watch_sweep(self);
    }
    port_reopen(self);
    reader_step(self, events);
    writer_step(self);
    watch_step(self);
    port_watch(self, reader_wants(self), writer_wants(self));
    arm(self, earlier(earlier(port_due(self), reader_due(self)), earlier(writer_due(self), watch_due(self))));
}

static void ended(void *context) {
    struct engine *engine = &((spin_self *)context)->engine;
    pthread_mutex_lock(&engine->turn);
    engine->is_polled = 0;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->turn);
}

static void close_all(struct engine *engine) {
    if (engine->events >= 0)
        close(engine->events);
    engine->events = -1;
    pthread_mutex_lock(&engine->turn);
    if (engine->bell >= 0)
        close(engine->bell);
    engine->bell = -1;
    pthread_mutex_unlock(&engine->turn);
}

const char *engine_open(spin_self *self, spin_call *call) {
    struct engine *engine = &self->engine;
    engine->call = call;
    engine->armed = INT64_MAX;
    engine->events = epoll_create1(EPOLL_CLOEXEC);
    // A bell that rings from the start has the function run once.
    int bell = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_lock(&engine->turn);
    engine->bell = bell;
    pthread_mutex_unlock(&engine->turn);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = ENGINE_BELL};
    if (engine->events >= 0 && bell >= 0 && epoll_ctl(engine->events, EPOLL_CTL_ADD, bell, &event) == 0)
        return NULL;
    close_all(engine);
    return "no more files can be opened";
}

const char *engine_start(spin_self *self) {
    struct engine *engine = &self->engine;
    engine->is_polled = 1;
    if (spin_poll_start(engine->call, engine->events, SPIN_POLL_READ, run, self, ended, NULL) == SPIN_OK)
        return NULL;
    engine->is_polled = 0;
    close_all(engine);
    return "the host cannot watch the device";
}

void engine_stop(spin_self *self) {
    struct engine *engine = &self->engine;
    pthread_mutex_lock(&engine->turn);
    while (engine->is_polled)
        pthread_cond_wait(&engine->changed, &engine->turn);
    pthread_mutex_unlock(&engine->turn);
    take_jobs(self);
    reader_end(self);
    writer_end(self);
    watch_end(self);
    close_all(engine);
}
