#include "polls.h"
#include "host.h"
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A poll, or a timer. */
struct watched {
    uint64_t number; /* 0: the place is free */
    spin_call *call;
    int descriptor; /* -1 for a timer */
    int64_t due;
    void (*function)(void *context, uint64_t value);
    void (*release)(void *context);
    void *context;
    int is_running, has_ended;
};

enum { most = 256 };
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct watched all[most];
static uint64_t last_number;
static int64_t now = 1;
static int epoll = -1, wake = -1;
static pthread_t thread;
static spin_call *instance_call;

/* The caller holds `turn`, as with the next two. */
static struct watched *find(uint64_t number) {
    for (struct watched *next = all; next < all + most; next++)
        if (number && next->number == number && !next->has_ended)
            return next;
    return NULL;
}

static struct watched *add(struct watched given) {
    struct watched *place = all;
    while (place < all + most && place->number)
        place++;
    check("there is room for a poll", place < all + most);
    *place = given;
    place->number = ++last_number;
    return place;
}

/* Frees the place, if nothing runs, and returns what is to be released then. */
static struct watched end(struct watched *watched) {
    struct watched ended = *watched;
    if (watched->descriptor >= 0 && !watched->has_ended)
        epoll_ctl(epoll, EPOLL_CTL_DEL, watched->descriptor, NULL);
    watched->has_ended = 1;
    if (watched->is_running)
        return (struct watched){0};
    watched->number = 0;
    return ended;
}

static void release(struct watched ended) {
    if (ended.release)
        ended.release(ended.context);
}

/* Calls a function once, on this thread. */
static void call_once(uint64_t number, uint64_t value) {
    pthread_mutex_lock(&turn);
    struct watched *watched = find(number);
    if (watched)
        watched->is_running = 1;
    pthread_mutex_unlock(&turn);
    if (!watched)
        return;
    watched->function(watched->context, value);
    pthread_mutex_lock(&turn);
    watched->is_running = 0;
    struct watched ended = {0};
    if (watched->has_ended || watched->descriptor < 0)
        ended = end(watched);
    pthread_mutex_unlock(&turn);
    release(ended);
}

static void *run(void *context) {
    struct epoll_event event;
    for (;;) {
        if (epoll_wait(epoll, &event, 1, -1) != 1)
            continue;
        if (event.data.u64 == 0)
            return context;
        call_once(event.data.u64, event.events & EPOLLIN ? SPIN_POLL_READ : SPIN_POLL_HANGUP);
    }
}

void polls_begin(void) {
    epoll = epoll_create1(EPOLL_CLOEXEC);
    wake = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0};
    check("the polls begin", epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0 &&
                                 pthread_create(&thread, NULL, run, NULL) == 0);
}

void polls_close(void) {
    eventfd_write(wake, 1);
    pthread_join(thread, NULL);
    close(epoll);
    close(wake);
}

void polls_set_instance_call(spin_call *call) { instance_call = call; }

static spin_call *take_instance_call(const spin_host *host, spin_call *call) {
    (void)host, (void)call;
    return instance_call;
}

static spin_status start_poll(const spin_host *host, spin_call *call, int32_t descriptor, uint64_t events,
                              void (*function)(void *, uint64_t), void *context, void (*release_it)(void *),
                              spin_poll *poll) {
    (void)host;
    check("it polls for reading", events == SPIN_POLL_READ);
    pthread_mutex_lock(&turn);
    struct watched *watched = add((struct watched){.call = call,
                                                   .descriptor = descriptor,
                                                   .function = function,
                                                   .release = release_it,
                                                   .context = context});
    if (poll)
        *poll = watched->number;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = watched->number};
    int error = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
    if (error)
        watched->number = 0;
    pthread_mutex_unlock(&turn);
    return error ? SPIN_BAD_VALUE : SPIN_OK;
}

static spin_status start_timer(const spin_host *host, spin_call *call, spin_duration first,
                               spin_duration interval, void (*function)(void *, uint64_t), void *context,
                               void (*release_it)(void *), spin_timer *timer) {
    (void)host;
    check("a timer is due once", interval == 0 && first >= 0);
    pthread_mutex_lock(&turn);
    // Asked under the lock: a call that ends now ends this timer, too.
    if (test_host.cancelled(call)) {
        pthread_mutex_unlock(&turn);
        return SPIN_CANCELLED;
    }
    struct watched *watched = add((struct watched){.call = call,
                                                   .descriptor = -1,
                                                   .due = now + first,
                                                   .function = function,
                                                   .release = release_it,
                                                   .context = context});
    if (timer)
        *timer = watched->number;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
    return SPIN_OK;
}

static spin_status cancel(const spin_host *host, uint64_t number) {
    (void)host;
    pthread_mutex_lock(&turn);
    struct watched *watched = find(number), ended = {0};
    if (watched)
        ended = end(watched);
    pthread_mutex_unlock(&turn);
    release(ended);
    return watched ? SPIN_OK : SPIN_STOPPED;
}

static spin_status change(const spin_host *host, spin_poll poll, uint64_t events) {
    (void)host;
    check("it reads, or pauses", events == SPIN_POLL_READ || events == 0);
    pthread_mutex_lock(&turn);
    struct watched *watched = find(poll);
    struct epoll_event event = {.events = events ? EPOLLIN : 0, .data.u64 = poll};
    if (watched)
        epoll_ctl(epoll, EPOLL_CTL_MOD, watched->descriptor, &event);
    pthread_mutex_unlock(&turn);
    return watched ? SPIN_OK : SPIN_STOPPED;
}

static int64_t monotonic(const spin_host *host) {
    (void)host;
    pthread_mutex_lock(&turn);
    int64_t time = now;
    pthread_mutex_unlock(&turn);
    return time;
}

/* The timer that is due first; NULL without one until then. */
static struct watched *first_due(int64_t until) {
    struct watched *first = NULL;
    for (struct watched *next = all; next < all + most; next++)
        if (next->number && !next->has_ended && !next->is_running && next->descriptor < 0 &&
            next->due <= until && (!first || next->due < first->due))
            first = next;
    return first;
}

void host_await_timer(spin_duration within) {
    pthread_mutex_lock(&turn);
    while (!first_due(now + within))
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
}

void host_advance(spin_duration time) {
    pthread_mutex_lock(&turn);
    int64_t until = now + time;
    for (struct watched *timer; (timer = first_due(until));) {
        uint64_t number = timer->number;
        now = timer->due > now ? timer->due : now;
        pthread_mutex_unlock(&turn);
        call_once(number, 1);
        pthread_mutex_lock(&turn);
    }
    now = until;
    pthread_mutex_unlock(&turn);
}

void polls_end(spin_call *call) {
    pthread_mutex_lock(&turn);
    for (struct watched *next = all; next < all + most; next++) {
        if (!next->number || next->call != call || next->has_ended)
            continue;
        struct watched ended = end(next);
        pthread_mutex_unlock(&turn);
        release(ended);
        pthread_mutex_lock(&turn);
    }
    pthread_mutex_unlock(&turn);
}

const void *polls_service(const char *id) {
    static const spin_poll_service polls = {sizeof polls, 0, start_poll, change, cancel};
    static const spin_timer_service timers = {sizeof timers, 0, start_timer, cancel};
    static const spin_clock_service clock = {.size = sizeof clock, .monotonic = monotonic};
    static const spin_instance_service instances = {sizeof instances, 0, take_instance_call};
    return strcmp(id, SPIN_POLL_SERVICE) == 0       ? (const void *)&polls
           : strcmp(id, SPIN_TIMER_SERVICE) == 0    ? (const void *)&timers
           : strcmp(id, SPIN_CLOCK_SERVICE) == 0    ? (const void *)&clock
           : strcmp(id, SPIN_INSTANCE_SERVICE) == 0 ? (const void *)&instances
                                                    : NULL;
}
