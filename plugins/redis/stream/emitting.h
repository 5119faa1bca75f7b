// Entries become events.
#ifndef REDIS_EMITTING_H
#define REDIS_EMITTING_H

#include "stream.h"

/* Emits the entries that are held; 0 if some must wait for room. */
int emitting_run(struct stream *stream);

#endif
