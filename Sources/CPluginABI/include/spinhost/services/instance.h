/* spinhost/services/instance.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_INSTANCE_H
#define SPINHOST_SERVICES_INSTANCE_H

/* Events of an instance for which no effect was called: subscriptions, sessions, devices. */
#define SPIN_INSTANCE_SERVICE "spin.instance/1"

typedef struct spin_instance_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* A call that lasts from now until the instance stops, for `start` to keep. It works like any other call:
     * emissions, timers, polls, memory and spin_on_cancel belong to it. `call` is the one that `start` gets.
     * Within one `start` the result is always the same.
     *
     * A feedback of the manifest listens to the instance with `effect = "PLUGIN:*"`, and makes events of what
     * the call emits. While none listens, also before the loop begins, an emission returns SPIN_FULL.
     * spin_emit_wait returns the same at once. When a feedback listens, the host calls the function of
     * spin_on_room.
     *
     * The host cancels the call before it calls `stop`. spin_finish and spin_fail end it sooner, and the
     * feedback's run with it.
     *
     * Returns NULL in any other function.
     * [instance], during `start` */
    spin_call *(*call)(const spin_host *host, spin_call *call);
} spin_instance_service;

SPIN_FINDER(instance, SPIN_INSTANCE_SERVICE)

/* A call that lasts until the instance stops, or NULL; see spin_instance_service.
 * [instance], during `start` */
SPIN_INLINE spin_call *spin_instance_call(spin_call *call) {
    const spin_instance_service *service = spin_find_instance();
    return service ? service->call(spin_current_host(), call) : NULL;
}

#endif /* SPINHOST_SERVICES_INSTANCE_H */
