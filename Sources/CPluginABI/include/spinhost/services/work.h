/* spinhost/services/work.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_WORK_H
#define SPINHOST_SERVICES_WORK_H

/* Threads that belong to the host. */
#define SPIN_WORK_SERVICE "spin.work/1"

typedef struct spin_work_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Has the host call `function(context)` once, soon, on a thread that `function` may block, as no loop needs
     * it. Up to 64 functions of a plugin run side by side. They need a lock for an instance that they share.
     * Later functions wait, as many as there is memory for. They begin in the order of their submission, one
     * whenever another function returns. So a function may wait for a later one only while at most 64
     * functions of the plugin have yet to return.
     *
     * The threads serve this plugin alone. A thread ends when no function waits; until then it calls one
     * function after the other. So a function may find thread-local values of an earlier one, but the signal
     * mask is the host's again.
     *
     * Before the host destroys the plugin's instances, and before the app ends, it waits until all functions
     * have returned, those that waited included, at most until its deadline. So a function that takes long
     * must end when `stop`, or the cancellation of the call that it works for, says so. In a swap each
     * function runs in the version that submitted it.
     *
     * On success `function` owns `context`. On failure the host will not call it, and the caller still owns
     * `context`. SPIN_BAD_VALUE for a NULL `function`, SPIN_NO_MEMORY when there is no thread or memory.
     * [any] */
    spin_status (*submit)(const spin_host *host, void (*function)(void *context), void *context);
} spin_work_service;

SPIN_FINDER(work, SPIN_WORK_SERVICE)

/* Has the host call `function(context)` once on a thread that it may block; ownership of `context` and the
 * rest as in spin_work_service.
 * [any] */
SPIN_INLINE spin_status spin_work(void (*function)(void *context), void *context) {
    const spin_work_service *service = spin_find_work();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->submit(spin_current_host(), function, context);
}

#endif /* SPINHOST_SERVICES_WORK_H */
