/* spinhost/services/room.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_ROOM_H
#define SPINHOST_SERVICES_ROOM_H

/* When a full mailbox has room again: for plugins that must neither drop an event nor block a thread. */
#define SPIN_ROOM_SERVICE "spin.room/1"

typedef struct spin_room_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Has the host call `function(context)` exactly once, on a thread of the host that `function` may block.
     * The host calls it when half of the mailbox's room is free and the emission that was refused last has
     * room, or when the call is over, whichever comes first. If that is so already, it calls it soon. Other
     * emitters may fill the mailbox again before the next emission of this call: then ask again. To try
     * without the count of a drop, emit with spin_emit_wait and a timeout of 0.
     *
     * Each call has one such function at a time. `function` may ask for the next one. It may run while the
     * effect or an emission of this call runs. The host waits for it before it destroys the plugin's
     * instances.
     *
     * On success `function` owns `context`. On failure the host will not call it, and the caller still owns
     * `context`.
     *
     * SPIN_FULL: the call has such a function already.
     * SPIN_CANCELLED, SPIN_STOPPED: the call is over.
     * SPIN_BAD_VALUE: `function` is NULL, or the emission that was refused last becomes more events than the
     * mailbox can ever hold.
     * [any] */
    spin_status (*on_room)(const spin_host *host, spin_call *call, void (*function)(void *context),
                           void *context);
} spin_room_service;

SPIN_FINDER(room, SPIN_ROOM_SERVICE)

/* Has the host call `function(context)` once when a mailbox that was full has room. Ownership of `context` and
 * the rest are as in spin_room_service.
 * [any] */
SPIN_INLINE spin_status spin_on_room(spin_call *call, void (*function)(void *context), void *context) {
    const spin_room_service *service = spin_find_room();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->on_room(spin_current_host(), call, function, context);
}

#endif /* SPINHOST_SERVICES_ROOM_H */
