/* spinhost/services/buffer.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_BUFFER_H
#define SPINHOST_SERVICES_BUFFER_H

/* Bytes that pass the border without a copy: frames, blocks, messages. */
#define SPIN_BUFFER_SERVICE "spin.buffer/1"

typedef struct spin_buffer_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* `size` bytes of the host, aligned to 16 and not cleared, with one reference, which the plugin owns.
     *
     * When a field of type spin_bytes in an emission points to their start, the loop shares the bytes and
     * does not copy them. The field's `size` may be less. The host copies fewer than 4096 bytes, because that
     * costs less. From the first such emission on the plugin must only read them: the loop's state may have
     * them.
     *
     * Returns NULL when there is no memory, for 0 bytes, and for more than 1 GiB.
     * [any] */
    uint8_t *(*allocate)(const spin_host *host, size_t size);

    /* Takes one more reference to bytes, which the plugin owns. `data` is the start of bytes of `allocate`, or
     * of an argument of type spin_bytes that an effect got, while its call is not over. So a plugin keeps an
     * argument longer than its call, without a copy. It must only read it. For bytes of `allocate`, `call` may
     * be NULL.
     *
     * Returns SPIN_BAD_VALUE for other bytes, SPIN_CANCELLED or SPIN_STOPPED when the call is over.
     * [any] */
    spin_status (*retain)(const spin_host *host, spin_call *call, const uint8_t *data);

    /* Gives one reference back. The plugin must not use the bytes after its last one. When the host unmaps a
     * version of the plugin, it releases the references of that version.
     *
     * Returns SPIN_BAD_VALUE for bytes without a reference of this plugin.
     * [any] */
    spin_status (*release)(const spin_host *host, const uint8_t *data);
} spin_buffer_service;

SPIN_FINDER(buffer, SPIN_BUFFER_SERVICE)

/* `size` bytes that an emission shares and does not copy, or NULL; see spin_buffer_service.
 * [any] */
SPIN_INLINE uint8_t *spin_buffer_alloc(size_t size) {
    const spin_buffer_service *service = spin_find_buffer();
    return service ? service->allocate(spin_current_host(), size) : NULL;
}

/* Keeps bytes longer than the call that passed them; see spin_buffer_service.
 * [any] */
SPIN_INLINE spin_status spin_buffer_retain(spin_call *call, const uint8_t *data) {
    const spin_buffer_service *service = spin_find_buffer();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->retain(spin_current_host(), call, data);
}

/* Gives one reference to bytes back; see spin_buffer_service.
 * [any] */
SPIN_INLINE spin_status spin_buffer_release(const uint8_t *data) {
    const spin_buffer_service *service = spin_find_buffer();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return service->release(spin_current_host(), data);
}

#endif /* SPINHOST_SERVICES_BUFFER_H */
