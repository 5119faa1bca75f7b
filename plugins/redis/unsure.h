// Commands that the server may have done, and whose calls were cancelled before their answers. In a swap, the host
// makes these calls again, and the next instance must not send the commands twice.
#ifndef REDIS_UNSURE_H
#define REDIS_UNSURE_H

#include "redis.h"
#include <stddef.h>

struct unsure_key {
    struct unsure_key *next;
    char text[SPIN_RUN_KEY_SIZE];
};

/* Keys of runs, the oldest one first. Zeroed ones are empty. */
struct unsure {
    struct unsure_key *first, **last;
    size_t count;
};

/* Notes a key, and forgets the oldest ones beyond so many; 0 without memory. */
int unsure_add(struct unsure *unsure, const char *key, size_t most);

/* Forgets a key; 0 if it was not noted. */
int unsure_take(struct unsure *unsure, const char *key);

/* Moves all keys behind those of another list, and forgets the oldest ones beyond so many. */
void unsure_move(struct unsure *unsure, struct unsure *to, size_t most);

void unsure_free(struct unsure *unsure);

#endif
