// The entries of a stream that this app has in work, by their ids: those that the loop has taken, and whose
// acknowledgement the server has not confirmed.
#ifndef REDIS_ENTRIES_H
#define REDIS_ENTRIES_H

#include "../redis.h"
#include <stddef.h>
#include <stdint.h>

struct job;

struct entry_id {
    uint64_t time, number;
};

enum entry_state {
    ENTRY_IN_WORK,
    ENTRY_IS_DONE, /* it is to be acknowledged */
    ENTRY_IS_SENT, /* the acknowledgement has no answer yet */
    ENTRY_IS_OVER  /* it is acknowledged, but an answer that has it may be on its way */
};

struct entry {
    struct entry_id id;
    enum entry_state state;
    struct job *first; /* calls of `acknowledge` that wait for the answer */
};

/* In the order of their ids. Zeroed ones are empty. */
struct entries {
    struct entry **all;
    size_t count, capacity;
};

/* The longest id as a text, with its NUL. */
enum { id_size = 48 };

/* Reads `TIME-NUMBER`; 0 if the text is not an id. */
int entry_id_read(spin_string text, struct entry_id *id);
void entry_id_write(const struct entry_id *id, char text[id_size]);
int entry_id_is_first(const struct entry_id *id);
int entry_id_precedes(const struct entry_id *one, const struct entry_id *other);

/* The entry of this id; NULL without one. */
struct entry *entries_find(const struct entries *entries, const struct entry_id *id);

/* Adds an entry in work, or finds it; NULL without memory. */
struct entry *entries_add(struct entries *entries, const struct entry_id *id);

/* How many are of this state, and gives them another one. */
size_t entries_in(const struct entries *entries, enum entry_state state);
void entries_change(struct entries *entries, enum entry_state from, enum entry_state to);

/* Frees those of this state, which have no calls. */
void entries_remove(struct entries *entries, enum entry_state state);

/* Frees one. */
void entries_drop(struct entries *entries, const struct entry_id *id);

void entries_free(struct entries *entries);

#endif
