/* spinhost/services/api.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_API_H
#define SPINHOST_SERVICES_API_H

/* Function tables that one plugin of an app publishes, and others use.
 *
 * A table is any struct that both plugins know from a header of their own, usually of function pointers. Its
 * name is unique in the app: 1 to 128 bytes of UTF-8. Its major version says what the struct is, its minor
 * version how much of it there is: a later minor only appends members.
 *
 * The host counts uses, and nothing else. A call through the table is a plain call of C, on the user's thread,
 * without a lock. The publisher says which threads may call. The host does not call through the table, and does
 * not know of such calls. So a crash in one counts as the user's: with `isolation = "guarded"` the user is in
 * quarantine then, and a crash report names the user's effect.
 *
 * Between spin_acquire and spin_release the host keeps the table valid. It does not stop or free the
 * publisher's instances, and does not unmap its library. Before it stops them, it asks each user to let go: in
 * a swap, after a change of the manifest, and at the end of the app. When a user has not let go by the host's
 * deadline, the host logs which plugin uses which table. A swap is refused then. At the end of the app the
 * publisher is not stopped.
 *
 * The host starts plugins in the order of the manifest. It stops users before their publishers, then plugins in
 * reverse order. A user that starts before the publisher, or asks while the publisher is swapped, gets
 * SPIN_UNSUPPORTED. It asks again when it needs the table, for example in its next effect. */
#define SPIN_API_SERVICE "spin.api/1"

/* A use of a table; 0 means no use. The plugin may keep the number for ever, like a call. */
typedef uint64_t spin_use;

typedef struct spin_api_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Publishes the `size` bytes at `table` under `name`, usually in `start`. The host copies the name. The
     * table belongs to the plugin, which must not change or free it before it has withdrawn it. The host
     * forgets a table that is still published when the plugin is unmapped.
     *
     * Another version of the same plugin may publish the name, too. From then on users get the table of the
     * version that was last.
     *
     * SPIN_FULL: another plugin publishes the name, or this version of the plugin already does. A plugin with
     * an instance for each loop publishes once, or has `instance = "app"`.
     * SPIN_BAD_VALUE: a NULL table, a size of 0, or a name that is not valid.
     * [any] */
    spin_status (*publish)(const spin_host *host, const char *name, uint32_t major, uint32_t minor,
                           const void *table, uint32_t size);

    /* Ends the publication: nobody can acquire the table any more. The host has seen to it that there are no
     * uses when it calls `stop`. Outside of `stop` there may be some: then the host asks the users to let go,
     * and returns SPIN_FULL. The plugin must keep the table valid, and may call this again.
     * SPIN_STOPPED when this version of the plugin does not publish the name.
     * [any] */
    spin_status (*withdraw)(const spin_host *host, const char *name);

    /* Stores the table of that name in `*table`, its size in `*size` (may be NULL), and the use in `*use`. The
     * table has this major version, and at least this minor version. It is valid until spin_release(*use).
     *
     * When the publisher is to stop, the host calls `wanted(context)` on a thread of the host: again for each
     * time that the publisher is to stop. The user then calls spin_release soon, there or on another thread,
     * when none of its threads uses the table any more. NULL: the user is not asked. The host calls `wanted`
     * once at a time for each use. When spin_release returns, it may still run; the host waits for it before
     * `destroy`, as for functions given to spin_work.
     *
     * SPIN_UNSUPPORTED: nobody publishes that name with that major version, perhaps not yet, or not during a
     * swap.
     * SPIN_FAILED: the minor version is less.
     * SPIN_BAD_VALUE: a name that is not valid, a table of the plugin itself, or a NULL `table` or `use`.
     * On failure the host stores NULL and 0 where it can, and does not call `wanted`.
     * [any] */
    spin_status (*acquire)(const spin_host *host, const char *name, uint32_t major, uint32_t least_minor,
                           void (*wanted)(void *context), void *context, const void **table, uint32_t *size,
                           spin_use *use);

    /* Ends a use. The table must not be used afterwards. SPIN_STOPPED for a use that has ended, or is not the
     * plugin's own. The host ends the uses of a plugin that is unmapped.
     * [any] */
    spin_status (*release)(const spin_host *host, spin_use use);
} spin_api_service;

SPIN_FINDER(api, SPIN_API_SERVICE)

/* Publishes a table; see spin_api_service.
 * [any] */
SPIN_INLINE spin_status spin_publish(const char *name, uint32_t major, uint32_t minor, const void *table,
                                     uint32_t size) {
    const spin_api_service *service = spin_find_api();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->publish(spin_current_host(), name, major, minor, table, size);
}

/* Ends a publication; see spin_api_service.
 * [any] */
SPIN_INLINE spin_status spin_withdraw(const char *name) {
    const spin_api_service *service = spin_find_api();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->withdraw(spin_current_host(), name);
}

/* Begins to use a table; see spin_api_service.
 * [any] */
SPIN_INLINE spin_status spin_acquire(const char *name, uint32_t major, uint32_t least_minor,
                                     void (*wanted)(void *context), void *context, const void **table,
                                     uint32_t *size, spin_use *use) {
    const spin_api_service *service = spin_find_api();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->acquire(spin_current_host(), name, major, least_minor, wanted, context, table, size, use);
}

/* Ends a use of a table; see spin_api_service.
 * [any] */
SPIN_INLINE spin_status spin_release(spin_use use) {
    const spin_api_service *service = spin_find_api();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->release(spin_current_host(), use);
}

#endif /* SPINHOST_SERVICES_API_H */
