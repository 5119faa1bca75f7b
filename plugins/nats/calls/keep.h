// Messages that cancelled calls of `subscribe` held. In a swap the host cancels each call, and makes it again.
#ifndef NATS_KEEP_H
#define NATS_KEEP_H

#include "hold.h"

struct call;

/* The messages of one call. */
struct kept {
    struct kept *next;
    int64_t due; /* until when they wait for the next call */
    struct hold hold;
    spin_string subject, queue, key; /* of its call, in the memory behind it */
};

/* Zeroed memory is an empty one. */
struct keep {
    struct kept *first, *last;
};

/* Adds those of one more call, which are none yet; NULL without memory. */
struct kept *keep_make(struct keep *keep, spin_string subject, spin_string queue, spin_string key);

/* Takes over what a call holds. */
void keep_add(spin_self *self, struct call *call);

/* Gives a call what an earlier one of the same subject and queue has held. If its run had a call before, it gets the
 * messages of its run only. */
void keep_give(spin_self *self, struct call *call);

/* Gives all of them the same time, from now on. */
void keep_begin(spin_self *self);

/* Drops what has waited for too long. Returns when to look again. */
int64_t keep_step(spin_self *self, int64_t now);

/* handover.c: writes all, and takes over what another instance has written; 0 if the bytes are not valid. */
spin_status keep_save(const struct keep *keep, spin_saving *saving);
int keep_restore(struct keep *keep, const uint8_t *data, size_t size);

void keep_free(struct keep *keep);

#endif
