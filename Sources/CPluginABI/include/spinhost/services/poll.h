/* spinhost/services/poll.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_POLL_H
#define SPINHOST_SERVICES_POLL_H

/* Descriptors that the host watches, so that a plugin needs no thread for them: sockets, pipes, terminals,
 * devices, eventfd, timerfd, signalfd, inotify, pidfd. */
#define SPIN_POLL_SERVICE "spin.poll/1"

/* A read would not block: there is data, a connection, or the end. */
#define SPIN_POLL_READ UINT64_C(1)
/* A write would not block. */
#define SPIN_POLL_WRITE UINT64_C(2)
/* The other side has closed, or the descriptor has an error. The host reports it even if the
 * plugin did not ask for it. There may still be data to read. */
#define SPIN_POLL_HANGUP UINT64_C(4)

/* A poll; 0 means no poll. The plugin may keep the number for ever, like a call. */
typedef uint64_t spin_poll;

typedef struct spin_poll_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Starts a poll. The host calls `ready(context, events)` when `descriptor` is ready for any of `events`:
     * SPIN_POLL_READ, SPIN_POLL_WRITE, or both. With 0 the poll is paused. `ready` gets the events that hold.
     * As long as they hold, the host calls it again. So it should read or write until the descriptor would
     * block, or ask for other events. The descriptor should be non-blocking.
     *
     * The host calls `ready` on one thread for each version of a plugin, one function after the other. So the
     * functions of a plugin's polls need no lock against each other. A `ready` that blocks delays the plugin's
     * other polls, and nothing else. It may call spin_emit_wait. Nobody reads the descriptor meanwhile, so its
     * other side waits, too.
     *
     * The poll ends by `cancel`, or with its call. After the end, when `ready` is not running and will not be
     * called again, the host calls `release(context)` exactly once (NULL: it calls nothing). Close the
     * descriptor there, or in `ready` after `cancel`: elsewhere `ready` may be reading it. The host never closes
     * it.
     *
     * On success `*poll` (may be NULL) is the poll, stored before `ready` can run, and the host owns `context`
     * until `release`. On failure nothing was started, the host does not call `release`, and the caller still
     * owns `context`.
     *
     * SPIN_BAD_VALUE: a NULL `ready`, or other events. Or a descriptor that is not open, is a regular file or
     * folder (these are always ready), or has a poll of this plugin already.
     * SPIN_CANCELLED, SPIN_STOPPED: the call is over.
     * SPIN_NO_MEMORY: the system has no descriptor, thread or memory left.
     * [any] */
    spin_status (*start)(const spin_host *host, spin_call *call, int32_t descriptor, uint64_t events,
                         void (*ready)(void *context, uint64_t events), void *context,
                         void (*release)(void *context), spin_poll *poll);

    /* Changes the events of a poll. A `ready` that runs meanwhile may have seen the old ones. On
     * failure the poll is as before.
     *
     * SPIN_STOPPED: the poll has ended.
     * SPIN_BAD_VALUE: other events.
     * SPIN_NO_MEMORY: the system cannot watch the descriptor.
     * [any] */
    spin_status (*change)(const spin_host *host, spin_poll poll, uint64_t events);

    /* Ends a poll and returns at once. `ready` may still run on another thread; `release` follows it. Returns
     * SPIN_STOPPED when the poll had ended before.
     * [any] */
    spin_status (*cancel)(const spin_host *host, spin_poll poll);
} spin_poll_service;

SPIN_FINDER(poll, SPIN_POLL_SERVICE)

/* Starts a poll of a call; ownership of `context` and the rest as in spin_poll_service.
 * [any] */
SPIN_INLINE spin_status spin_poll_start(spin_call *call, int32_t descriptor, uint64_t events,
                                        void (*ready)(void *context, uint64_t events), void *context,
                                        void (*release)(void *context), spin_poll *poll) {
    const spin_poll_service *service = spin_find_poll();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->start(spin_current_host(), call, descriptor, events, ready, context, release, poll);
}

/* Changes the events of a poll; see spin_poll_service.
 * [any] */
SPIN_INLINE spin_status spin_poll_change(spin_poll poll, uint64_t events) {
    const spin_poll_service *service = spin_find_poll();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->change(spin_current_host(), poll, events);
}

/* Ends a poll; see spin_poll_service.
 * [any] */
SPIN_INLINE spin_status spin_poll_cancel(spin_poll poll) {
    const spin_poll_service *service = spin_find_poll();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->cancel(spin_current_host(), poll);
}

#endif /* SPINHOST_SERVICES_POLL_H */
