// The contents of frames whose bytes are replaced, so that the end of a frame is found in no content.
#ifndef SERIAL_CODEC_H
#define SERIAL_CODEC_H

#include <stddef.h>
#include <stdint.h>

/* Each of them decodes the bytes between two ends to `to`, which has room for as many bytes. NULL and the size of the
 * content, or why the bytes are damaged. */

/* RFC 1055. */
const char *codec_slip(const uint8_t *from, size_t size, uint8_t *to, size_t *decoded);

/* Consistent Overhead Byte Stuffing (Cheshire and Baker, 1997). */
const char *codec_cobs(const uint8_t *from, size_t size, uint8_t *to, size_t *decoded);

#endif
