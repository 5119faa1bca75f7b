/* spinhost/services/clock.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_CLOCK_H
#define SPINHOST_SERVICES_CLOCK_H

/* The host's time. A test may set it by hand. */
#define SPIN_CLOCK_SERVICE "spin.clock/1"

typedef struct spin_clock_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Nanoseconds since an arbitrary start. It never goes back.
     * [any] */
    int64_t (*monotonic)(const spin_host *host);

    /* Nanoseconds since 1970-01-01T00:00:00Z. It may jump.
     * [any] */
    spin_timestamp (*wall)(const spin_host *host);
} spin_clock_service;

SPIN_FINDER(clock, SPIN_CLOCK_SERVICE)

/* Nanoseconds of the host's monotonic clock, or 0; see spin_clock_service.
 * [any] */
SPIN_INLINE int64_t spin_monotonic(void) {
    const spin_clock_service *service = spin_find_clock();
    return service ? service->monotonic(spin_current_host()) : 0;
}

/* Nanoseconds since 1970-01-01T00:00:00Z by the host's clock, or 0; see spin_clock_service.
 * [any] */
SPIN_INLINE spin_timestamp spin_wall(void) {
    const spin_clock_service *service = spin_find_clock();
    return service ? service->wall(spin_current_host()) : 0;
}

#endif /* SPINHOST_SERVICES_CLOCK_H */
