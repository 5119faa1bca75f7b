#include "codec.h"
#include <string.h>

enum { slip_end = 0xC0, slip_escape = 0xDB, slip_escaped_end = 0xDC, slip_escaped_escape = 0xDD };

const char *codec_slip(const uint8_t *from, size_t size, uint8_t *to, size_t *decoded) {
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = from[i];
        if (byte == slip_escape) {
            byte = ++i < size ? from[i] : 0;
            if (byte != slip_escaped_end && byte != slip_escaped_escape)
                return "it has an escape that SLIP does not know";
            byte = byte == slip_escaped_end ? slip_end : slip_escape;
        }
        to[used++] = byte;
    }
    *decoded = used;
    return NULL;
}

const char *codec_cobs(const uint8_t *from, size_t size, uint8_t *to, size_t *decoded) {
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        // A block is its size, and as many bytes. A zero follows it, but not after the longest one and the last one.
        size_t block = from[i++];
        if (block - 1 > size - i)
            return "it ends within a block of COBS";
        memcpy(to + used, from + i, block - 1);
        used += block - 1;
        i += block - 1;
        if (block < 0xFF && i < size)
            to[used++] = 0;
    }
    *decoded = used;
    return NULL;
}
