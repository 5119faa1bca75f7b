#include "../polls.h"
#include "watched.h"
#include <string.h>
#include <sys/epoll.h>

static spin_call *instance_call;

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
    pthread_mutex_lock(&watched_turn);
    struct watched *watched = watched_add((struct watched){.call = call,
                                                           .descriptor = descriptor,
                                                           .function = function,
                                                           .release = release_it,
                                                           .context = context});
    if (poll)
        *poll = watched->number;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = watched->number};
    int error = epoll_ctl(watched_epoll, EPOLL_CTL_ADD, descriptor, &event);
    if (error)
        watched->number = 0;
    pthread_mutex_unlock(&watched_turn);
    return error ? SPIN_BAD_VALUE : SPIN_OK;
}

static spin_status cancel(const spin_host *host, uint64_t number) {
    (void)host;
    pthread_mutex_lock(&watched_turn);
    struct watched *watched = watched_find(number), ended = {0};
    if (watched)
        ended = watched_end(watched);
    pthread_mutex_unlock(&watched_turn);
    watched_release(ended);
    return watched ? SPIN_OK : SPIN_STOPPED;
}

static spin_status change(const spin_host *host, spin_poll poll, uint64_t events) {
    (void)host;
    check("it reads, or pauses", events == SPIN_POLL_READ || events == 0);
    pthread_mutex_lock(&watched_turn);
    struct watched *watched = watched_find(poll);
    struct epoll_event event = {.events = events ? EPOLLIN : 0, .data.u64 = poll};
    if (watched)
        epoll_ctl(watched_epoll, EPOLL_CTL_MOD, watched->descriptor, &event);
    pthread_mutex_unlock(&watched_turn);
    return watched ? SPIN_OK : SPIN_STOPPED;
}

const void *polls_service(const char *id) {
    static const spin_poll_service polls = {sizeof polls, 0, start_poll, change, cancel};
    static const spin_timer_service timers = {sizeof timers, 0, timers_start, cancel};
    static const spin_clock_service clock = {.size = sizeof clock, .monotonic = timers_now};
    static const spin_instance_service instances = {sizeof instances, 0, take_instance_call};
    return strcmp(id, SPIN_POLL_SERVICE) == 0       ? (const void *)&polls
           : strcmp(id, SPIN_TIMER_SERVICE) == 0    ? (const void *)&timers
           : strcmp(id, SPIN_CLOCK_SERVICE) == 0    ? (const void *)&clock
           : strcmp(id, SPIN_INSTANCE_SERVICE) == 0 ? (const void *)&instances
                                                    : NULL;
}
