// Descriptors that an instance leaves for the next one of the same process: two ends of a socket, which both have.
// What is in it belongs to neither. So the instance that starts next gets it, also when the host takes an old version
// back.
#ifndef GPIO_PARCEL_H
#define GPIO_PARCEL_H

#include <stdbool.h>
#include <stddef.h>

struct parcel {
    int in, out;  /* -1 without one */
    bool is_used; /* whether a note was ever found in it */
};

/* Makes one, or takes copies of the ends of another one. 0 if it cannot. */
bool parcel_open(struct parcel *parcel);
bool parcel_copy(struct parcel *parcel, int in, int out);

/* Puts a note in, with a descriptor or without one (-1); the caller keeps the descriptor. 0 if it cannot. */
bool parcel_put(struct parcel *parcel, const void *note, size_t size, int descriptor);

/* Takes the next note of this size out, with its descriptor, which is -1 without one. 0 when it is empty. */
bool parcel_take(struct parcel *parcel, void *note, size_t size, int *descriptor);

/* Closes all that is in it. */
void parcel_empty(struct parcel *parcel);

void parcel_close(struct parcel *parcel);

#endif
