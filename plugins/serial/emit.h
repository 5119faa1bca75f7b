// What a reader emits: lines and frames, or that they are damaged.
#ifndef SERIAL_EMIT_H
#define SERIAL_EMIT_H

#include "reader.h"

/* Emits the next frame, which has so many bytes without its end. */
spin_status emit_frame(spin_self *self, size_t size);

/* Emits that so many bytes of a frame were dropped. */
spin_status emit_damaged(struct reader *reader, size_t size, const char *why);

#endif
