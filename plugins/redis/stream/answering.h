// What the answers mean that a stream gets.
#ifndef REDIS_ANSWERING_H
#define REDIS_ANSWERING_H

#include "stream.h"

/* Handles the answer to a request of this kind; 0 if it is not an answer of Redis. */
int answering_run(struct stream *stream, enum request_kind kind);

#endif
