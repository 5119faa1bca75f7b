// Inputs that are held together: those of a call of `edges`, or one that `get` has read.
#ifndef GPIO_WATCH_H
#define GPIO_WATCH_H

#include "../kernel/kernel.h"
#include "source.h"

struct job;

/* How many events are taken from the kernel at once. */
enum { batch_size = 16 };

/* The part of it that a swap hands over. */
struct watch_state {
    struct line_set set;         /* without lines until the chip is open */
    char key[SPIN_RUN_KEY_SIZE]; /* of the run that has called `edges` last */
    bool has_edges;              /* whether it is for `edges` */
    uint32_t sequence;           /* the number of the last event; the kernel counts from 1 */
    int64_t lost;                /* how many events before the next one the kernel has dropped */
    bool has_told;               /* whether the run knows that the lines are open */
    uint32_t begin, end;         /* the events of the batch that are not emitted */
    struct gpio_v2_line_event batch[batch_size];
};

struct watch {
    struct source source; /* the first part */
    struct watch *next;
    struct job *job; /* the call of `edges`; NULL without one */
    struct watch_state state;
    uint64_t changes,
        told; /* how often it was opened or closed, odd while it is open; and what the call knows of it */
    bool is_tried;            /* for watches_take */
    int64_t due;              /* without a call: when to let go of the lines; INT64_MAX: at the end */
    char reason[most_reason]; /* why it was closed the last time */
};

/* A watch of no lines; NULL without memory. */
struct watch *watch_make(void);

/* Lets go of the lines, and frees it. */
void watch_free(spin_self *self, struct watch *watch);

/* How its lines are to be set. */
struct line_set watch_set(const spin_self *self, const struct watch *watch);

/* Requests its lines; 0 or a negative error number. */
int watch_open(spin_self *self, struct watch *watch);

/* Closes its lines, as they have gone. What was not emitted is lost. */
void watch_close(spin_self *self, struct watch *watch);

/* Whether it has a line, which then is the one of this index. */
bool watch_has(const struct watch *watch, uint32_t offset, uint32_t *index);

/* Reads events, if there are some; 0, or a negative error number if the lines have gone. */
int watch_read(struct watch *watch);

/* Emits what can be emitted. */
void watch_emit(spin_self *self, struct watch *watch);

/* Whether it would read what comes. */
bool watch_wants(const struct watch *watch);

#endif
