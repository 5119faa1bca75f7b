/* spinhost/services/timer.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_TIMER_H
#define SPINHOST_SERVICES_TIMER_H

/* Timers that belong to a call. */
#define SPIN_TIMER_SERVICE "spin.timer/1"

/* A timer; 0 means no timer. The plugin may keep the number for ever, like a call. */
typedef uint64_t spin_timer;

typedef struct spin_timer_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Starts a timer that is first due `first` nanoseconds from now (>= 0) and, if `interval` > 0, every
     * `interval` nanoseconds after that. Due times are computed from the start and do not drift.
     *
     * At each due time the host calls `fire(context, expirations)`, one call at a time for each timer, on a
     * thread of the host. `fire` must not block. `expirations` is the number of due times since the previous
     * call. It is at least 1, and more when the host was late.
     *
     * The timer ends after its only expiration (`interval` 0), by `cancel`, or with its call. After the end,
     * when `fire` is not running and will not be called again, the host calls `release(context)` exactly once
     * (NULL: it calls nothing).
     *
     * On success `*timer` (may be NULL) is the timer, stored before `fire` can run, and the host owns
     * `context` until `release`. On failure nothing was started, the host does not call
     * `release`, and the caller still owns `context`. SPIN_BAD_VALUE for a negative time or a NULL `fire`,
     * SPIN_CANCELLED or SPIN_STOPPED when the call is over, SPIN_NO_MEMORY when there is no memory.
     * [any] */
    spin_status (*start)(const spin_host *host, spin_call *call, spin_duration first, spin_duration interval,
                         void (*fire)(void *context, uint64_t expirations), void *context,
                         void (*release)(void *context), spin_timer *timer);

    /* Ends a timer and returns at once. `fire` may still run on another thread; `release` follows it. Returns
     * SPIN_STOPPED when the timer had ended before.
     * [any] */
    spin_status (*cancel)(const spin_host *host, spin_timer timer);
} spin_timer_service;

SPIN_FINDER(timer, SPIN_TIMER_SERVICE)

/* Starts a timer of a call; ownership of `context` and the rest as in spin_timer_service.
 * [any] */
SPIN_INLINE spin_status spin_timer_start(spin_call *call, spin_duration first, spin_duration interval,
                                         void (*fire)(void *context, uint64_t expirations), void *context,
                                         void (*release)(void *context), spin_timer *timer) {
    const spin_timer_service *service = spin_find_timer();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->start(spin_current_host(), call, first, interval, fire, context, release, timer);
}

/* Ends a timer; see spin_timer_service.
 * [any] */
SPIN_INLINE spin_status spin_timer_cancel(spin_timer timer) {
    const spin_timer_service *service = spin_find_timer();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->cancel(spin_current_host(), timer);
}

#endif /* SPINHOST_SERVICES_TIMER_H */
