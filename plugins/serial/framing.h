// How a stream of bytes is divided into lines or frames.
#ifndef SERIAL_FRAMING_H
#define SERIAL_FRAMING_H

#include "../std/pieces.h"
#include "serial.h"

enum framing_kind {
    FRAMING_LINES,
    FRAMING_SLIP,
    FRAMING_COBS,
    FRAMING_DELIMITER,
    FRAMING_LENGTH,
    FRAMING_IDLE
};

enum { longest_delimiter = 16 };

struct framing {
    enum framing_kind kind;
    uint8_t end[longest_delimiter]; /* the bytes that end a frame, if any do */
    size_t end_size;
    size_t length;       /* of each frame, for FRAMING_LENGTH */
    spin_duration pause; /* that ends a frame, for FRAMING_IDLE */
};

/* The framing of `lines`. */
struct framing framing_of_lines(void);

/* Reads `slip`, `cobs`, `delimiter:HEX`, `length:N` or `idle:TIME`; NULL, or why it is not valid. */
const char *framing_parse(spin_string text, struct framing *framing);

/* Finds the first whole frame among bytes: stores its size without its end, and with it; 0 without one. `is_over` says
 * that there was a pause. */
int framing_find(const struct framing *framing, struct pieces *bytes, int is_over, size_t *size,
                 size_t *taken);

#endif
