// A descriptor that the engine watches.
#ifndef GPIO_SOURCE_H
#define GPIO_SOURCE_H

#include "../gpio.h"

struct source {
    int descriptor; /* -1 while it is closed */
    uint32_t events;
    struct source *next; /* in the list of those to be freed */
    bool is_watched,
        is_watch; /* whether the engine has it, and whether it is the first part of a struct watch */
};

/* Has the engine look for these events (of epoll), besides a hang-up. 0 if it cannot. */
int source_watch(spin_self *self, struct source *source, uint32_t events);

/* Closes it. */
void source_close(spin_self *self, struct source *source);

/* Closes it, and frees what begins with it: later, as the engine may have an event of it. */
void source_free(spin_self *self, struct source *source);

/* Frees all such sources. */
void sources_bury(spin_self *self);

#endif
