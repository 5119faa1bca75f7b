// How a device is set: rate, format and flow control.
#ifndef SERIAL_MODE_H
#define SERIAL_MODE_H

// It declares what <termios.h> does, so a file includes only one of them. This one has rates that are no constants.
#include <asm/termbits.h>
#include "serial.h"

/* Settings as bits of a struct termios2. */
struct mode {
    unsigned baud;
    tcflag_t control, input;
};

/* Reads the settings; NULL, or why they are not valid. */
const char *mode_parse(const spin_config *config, struct mode *mode);

/* Sets a device, which had the settings `before`. Writes a reason if it does not keep them, and returns 0. */
int mode_apply(int device, const struct mode *mode, const spin_config *config, const struct termios2 *before,
               char *reason, size_t size);

#endif
