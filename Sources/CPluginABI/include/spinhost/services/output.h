/* spinhost/services/output.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_OUTPUT_H
#define SPINHOST_SERVICES_OUTPUT_H

/* The app's data output: stdout, or {"print": …} objects where the host writes JSON. */
#define SPIN_OUTPUT_SERVICE "spin.output/1"

typedef struct spin_output_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Prints one line of `size` bytes of UTF-8; the host adds the line end. `text` is borrowed until this
     * returns. Lines appear in the order in which the calls of this function returned.
     *
     * Returns SPIN_BAD_VALUE for text that is not UTF-8, and SPIN_FAILED when the host cannot write the
     * output. Nothing appears then.
     * [any] */
    spin_status (*print)(const spin_host *host, const char *text, size_t size);
} spin_output_service;

SPIN_FINDER(output, SPIN_OUTPUT_SERVICE)

/* Prints one NUL-terminated line to the app's data output; see spin_output_service.
 * [any] */
SPIN_INLINE spin_status spin_print(const char *text) {
    const spin_output_service *service = spin_find_output();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return text ? service->print(spin_current_host(), text, __builtin_strlen(text)) : SPIN_BAD_VALUE;
}

#endif /* SPINHOST_SERVICES_OUTPUT_H */
