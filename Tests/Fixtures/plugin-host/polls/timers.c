#include "../polls.h"
#include "watched.h"

static int64_t now = 1;

spin_status timers_start(const spin_host *host, spin_call *call, spin_duration first, spin_duration interval,
                         void (*function)(void *, uint64_t), void *context, void (*release_it)(void *),
                         spin_timer *timer) {
    (void)host;
    check("a timer is due once", interval == 0 && first >= 0);
    pthread_mutex_lock(&watched_turn);
    // Asked under the lock: a call that ends now ends this timer, too.
    if (test_host.cancelled(call)) {
        pthread_mutex_unlock(&watched_turn);
        return SPIN_CANCELLED;
    }
    struct watched *watched = watched_add((struct watched){.call = call,
                                                           .descriptor = -1,
                                                           .due = now + first,
                                                           .function = function,
                                                           .release = release_it,
                                                           .context = context});
    if (timer)
        *timer = watched->number;
    pthread_cond_broadcast(&watched_changed);
    pthread_mutex_unlock(&watched_turn);
    return SPIN_OK;
}

int64_t timers_now(const spin_host *host) {
    (void)host;
    pthread_mutex_lock(&watched_turn);
    int64_t time = now;
    pthread_mutex_unlock(&watched_turn);
    return time;
}

void host_await_timer(spin_duration within) {
    pthread_mutex_lock(&watched_turn);
    while (!watched_first_due(now + within))
        pthread_cond_wait(&watched_changed, &watched_turn);
    pthread_mutex_unlock(&watched_turn);
}

// A function of a timer may ring a bell of the plugin, whose thread then sets the next timer: before the time passes.
void host_advance(spin_duration time) {
    polls_await_idle();
    pthread_mutex_lock(&watched_turn);
    int64_t until = now + time;
    for (struct watched *timer; (timer = watched_first_due(until));) {
        uint64_t number = timer->number;
        now = timer->due > now ? timer->due : now;
        pthread_mutex_unlock(&watched_turn);
        watched_call(number, 1);
        polls_await_idle();
        pthread_mutex_lock(&watched_turn);
    }
    now = until;
    pthread_mutex_unlock(&watched_turn);
}
