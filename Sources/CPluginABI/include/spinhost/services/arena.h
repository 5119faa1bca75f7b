/* spinhost/services/arena.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_ARENA_H
#define SPINHOST_SERVICES_ARENA_H

/* Memory that lives as long as a call. */
#define SPIN_ARENA_SERVICE "spin.arena/1"

typedef struct spin_arena_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* `size` bytes, aligned for any type and not cleared. They belong to the host, and live as long as the
     * call's arguments: until the effect has returned and the call is over. The call is over when spin_finish or
     * spin_fail has ended it, or when the host has cancelled it and the function of spin_on_cancel has returned.
     *
     * Returns NULL when the call is over, when there is no memory, and for more than 1 GiB in one call.
     * [any] */
    void *(*allocate)(const spin_host *host, spin_call *call, size_t size);
} spin_arena_service;

SPIN_FINDER(arena, SPIN_ARENA_SERVICE)

/* `size` bytes that belong to the host and live as long as the call, or NULL; see spin_arena_service.
 * [any] */
SPIN_INLINE void *spin_call_alloc(spin_call *call, size_t size) {
    const spin_arena_service *service = spin_find_arena();
    return service ? service->allocate(spin_current_host(), call, size) : NULL;
}

#endif /* SPINHOST_SERVICES_ARENA_H */
