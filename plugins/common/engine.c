#include "engine.h"
#include "instance/create.h"
#include <sys/eventfd.h>
#include <unistd.h>

int engine_init(struct engine *engine, spin_self *self, const struct engine_kind *kind) {
    engine->kind = kind;
    engine->self = self;
    engine->events = engine->bell = -1;
    engine->last = &engine->first;
    return create_lock(&engine->turn, &engine->changed);
}

void engine_destroy(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    while (engine->calls > 0)
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

void engine_ring(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    ring(engine);
    pthread_mutex_unlock(&engine->turn);
}

void engine_note_end(struct engine *engine) {
    atomic_store(&engine->has_ends, 1);
    engine_ring(engine);
}

void engine_count(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    engine->calls++;
    pthread_mutex_unlock(&engine->turn);
}

void engine_add(struct engine *engine, struct lasting *lasting) {
    pthread_mutex_lock(&engine->turn);
    lasting->next = NULL;
    *engine->last = lasting;
    engine->last = &lasting->next;
    ring(engine);
    pthread_mutex_unlock(&engine->turn);
}

void engine_forget(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    engine->calls--;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->turn);
}

static void fire(void *context, uint64_t expirations) {
    struct engine *engine = context;
    (void)expirations;
    pthread_mutex_lock(&engine->turn);
    engine->has_fired = 1;
    ring(engine);
    pthread_mutex_unlock(&engine->turn);
}

// Sees to it that the function runs at this time. A timer that is due sooner does no harm.
static void arm(struct engine *engine, int64_t due) {
    if (due >= engine->armed)
        return;
    if (engine->armed != INT64_MAX)
        spin_timer_cancel(engine->timer);
    int64_t left = due - spin_monotonic();
    spin_status status =
        spin_timer_start(engine->call, left > 0 ? left : 0, 0, fire, engine, NULL, &engine->timer);
    engine->armed = status == SPIN_OK ? due : INT64_MAX;
}

// Gives each call that has come to the plugin.
static void take_calls(struct engine *engine) {
    eventfd_t rings;
    pthread_mutex_lock(&engine->turn);
    eventfd_read(engine->bell, &rings);
    if (engine->has_fired)
        engine->armed = INT64_MAX;
    engine->has_fired = 0;
    struct lasting *next = engine->first;
    engine->first = NULL;
    engine->last = &engine->first;
    pthread_mutex_unlock(&engine->turn);
    for (struct lasting *lasting; (lasting = next);) {
        next = lasting->next;
        if (atomic_load(&lasting->is_over))
            lasting_drop(lasting);
        else
            engine->kind->take(engine->self, lasting);
    }
}

// The events of the plugin's descriptors; how many there are.
static int plugin_events(struct engine *engine, struct epoll_event *events) {
    int found = epoll_wait(engine->events, events, most_engine_events, 0), count = 0;
    for (int i = 0; i < found; i++)
        if (events[i].data.ptr != engine)
            events[count++] = events[i];
    return count;
}

static void run(void *context, uint64_t ready) {
    struct engine *engine = context;
    struct epoll_event events[most_engine_events];
    (void)ready;
    int count = plugin_events(engine, events);
    take_calls(engine);
    arm(engine, engine->kind->step(engine->self, events, count, atomic_exchange(&engine->has_ends, 0)));
}

static void ended(void *context) {
    struct engine *engine = context;
    pthread_mutex_lock(&engine->turn);
    engine->is_polled = 0;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->turn);
}

void engine_close(struct engine *engine) {
    if (engine->events >= 0)
        close(engine->events);
    engine->events = -1;
    pthread_mutex_lock(&engine->turn);
    if (engine->bell >= 0)
        close(engine->bell);
    engine->bell = -1;
    pthread_mutex_unlock(&engine->turn);
}

const char *engine_open(struct engine *engine, spin_call *call) {
    engine->call = call;
    engine->armed = INT64_MAX;
    engine->events = epoll_create1(EPOLL_CLOEXEC);
    // A bell that rings from the start has the function run once.
    int bell = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_lock(&engine->turn);
    engine->bell = bell;
    pthread_mutex_unlock(&engine->turn);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = engine};
    if (engine->events >= 0 && bell >= 0 && epoll_ctl(engine->events, EPOLL_CTL_ADD, bell, &event) == 0)
        return NULL;
    engine_close(engine);
    return "no more files can be opened";
}

const char *engine_start(struct engine *engine) {
    engine->is_polled = 1;
    if (spin_poll_start(engine->call, engine->events, SPIN_POLL_READ, run, engine, ended, NULL) == SPIN_OK)
        return NULL;
    engine->is_polled = 0;
    engine_close(engine);
    return "the host cannot watch descriptors";
}

spin_status engine_outcome(spin_call *call, spin_status code, const char *reason) {
    if (!reason)
        return SPIN_OK;
    spin_fail(call, code, reason);
    return code;
}

void engine_stop(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    while (engine->is_polled)
        pthread_cond_wait(&engine->changed, &engine->turn);
    pthread_mutex_unlock(&engine->turn);
    take_calls(engine);
}
