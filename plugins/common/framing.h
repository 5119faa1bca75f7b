// How a stream of bytes is divided into lines or frames.
#ifndef COMMON_FRAMING_H
#define COMMON_FRAMING_H

#include "../std/pieces.h"
#include <stdint.h>

enum framing_kind {
    FRAMING_LINES,
    FRAMING_SLIP,
    FRAMING_COBS,
    FRAMING_DELIMITER,
    FRAMING_LENGTH,
    FRAMING_IDLE,
    FRAMING_PREFIX,
    FRAMING_RAW
};

enum { longest_delimiter = 16, longest_prefix = 4 };

struct framing {
    enum framing_kind kind;
    uint8_t end[longest_delimiter]; /* the bytes that end a frame, if any do */
    size_t end_size;
    size_t length;       /* of each frame, for FRAMING_LENGTH; the most, for FRAMING_RAW */
    spin_duration pause; /* that ends a frame, for FRAMING_IDLE */
    size_t prefix_size;  /* of the number before a frame, for FRAMING_PREFIX */
    int is_little;       /* whether that number begins with its least byte */
};

/* The framing of `lines`. */
struct framing framing_of_lines(void);

/* The framings that a plugin has. */
struct framing_words {
    unsigned kinds;      /* a bit for each kind */
    const char *unknown; /* why another text is not valid */
};
#define FRAMING_BIT(kind) (1u << (kind))

/* Reads `lines`, `slip`, `cobs`, `delimiter:HEX`, `length:N`, `idle:TIME`, `prefix:TYPE` or `raw`; NULL, or why it is
 * not valid. */
const char *framing_parse(spin_string text, const struct framing_words *words, struct framing *framing);

/* Whether both divide a stream in the same way. */
int framing_is_same(const struct framing *one, const struct framing *other);

/* A frame among bytes: where it begins, its size without its end, and how many bytes it takes in all. */
struct frame {
    size_t begin, size, taken;
};

/* Finds the first whole frame; 0 without one. `is_over` says that there was a pause. A frame with a prefix that says
 * more than `longest` bytes is found before its bytes have come. */
int framing_find(const struct framing *framing, struct pieces *bytes, size_t longest, int is_over,
                 struct frame *frame);

#endif
