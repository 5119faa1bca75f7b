/* spinhost/services/run.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_RUN_H
#define SPINHOST_SERVICES_RUN_H

/* The identity of a run. The host may make the call of one run several times: after a swap, and after a
 * failure with `retry`. An effect that changes something outside, such as a payment, passes the run's key on.
 * The other side then sees that it has done this already. */
#define SPIN_RUN_SERVICE "spin.run/1"

/* Room for every key and its NUL, in bytes. */
#define SPIN_RUN_KEY_SIZE 256

typedef struct spin_run_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Writes the key of the call's run and a NUL to `to`, which has room for `capacity` bytes.
     * SPIN_RUN_KEY_SIZE bytes are always enough. `to` is borrowed until this returns.
     *
     * A key is 1 to 255 printable ASCII characters, without spaces. All calls of one run have the same key.
     * No other run has it, of any loop, app or process, at any time. A plugin must not read anything else
     * from it: its parts may change.
     *
     * On failure the host writes nothing.
     * SPIN_BAD_VALUE: NULL, or too little room.
     * SPIN_CANCELLED, SPIN_STOPPED: the call is over.
     * SPIN_UNSUPPORTED: the call belongs to no run of an effect, such as a call of `create` or `start`.
     * [any] */
    spin_status (*key)(const spin_host *host, spin_call *call, char *to, size_t capacity);

    /* How many calls with this key the host has made, this one included: 1 for the first. When it is greater,
     * an earlier call may have done all of its work, a part, or nothing.
     *
     * Returns 0 for a call that is over, and for one that belongs to no run of an effect.
     * [any] */
    uint32_t (*attempt)(const spin_host *host, spin_call *call);
} spin_run_service;

SPIN_FINDER(run, SPIN_RUN_SERVICE)

/* Writes the key of the call's run to `to`; see spin_run_service.
 * [any] */
SPIN_INLINE spin_status spin_run_key(spin_call *call, char *to, size_t capacity) {
    const spin_run_service *service = spin_find_run();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->key(spin_current_host(), call, to, capacity);
}

/* How many calls with the same key the host has made, or 0; see spin_run_service.
 * [any] */
SPIN_INLINE uint32_t spin_run_attempt(spin_call *call) {
    const spin_run_service *service = spin_find_run();
    return service ? service->attempt(spin_current_host(), call) : 0;
}

#endif /* SPINHOST_SERVICES_RUN_H */
