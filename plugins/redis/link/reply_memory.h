// The memory of an answer. It is kept for the next one, so most answers need no new memory.
#ifndef REDIS_REPLY_MEMORY_H
#define REDIS_REPLY_MEMORY_H

#include "reply.h"
#include <stddef.h>

/* Notes why an answer cannot be read; NULL. */
void *reply_refuse(struct reply *reply, const char *why);
void *reply_refuse_size(struct reply *reply);

/* Counts a value of so many bytes; 0 if the answer is too large then. */
int reply_count(struct reply *reply, size_t size);

/* Makes room for one more value; 0 without memory. */
int reply_grow(struct reply *reply);

/* Keeps bytes as those of a value, and as its text, each with a NUL behind it; 0 without memory. */
int reply_keep(struct reply *reply, const char *data, size_t size, redis_value *value);

#endif
