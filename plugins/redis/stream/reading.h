// How a stream gets its entries: first those that the server has given to this consumer before, then new ones, and from
// time to time those of consumers that do not acknowledge them. It asks for one thing at a time.
#ifndef REDIS_READING_H
#define REDIS_READING_H

#include "stream.h"

extern const struct link_kind reading_kind;

/* Emits what is held, and asks for more if nothing is asked, and there is room for it. */
void reading_ask(struct stream *stream);

/* Emits again if there is room. */
void reading_resume(struct stream *stream);

#endif
