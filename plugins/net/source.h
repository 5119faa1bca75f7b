// A socket that the engine watches.
#ifndef NET_SOURCE_H
#define NET_SOURCE_H

#include "net.h"

struct endpoint;
struct connection;

struct source {
    int socket;                    /* -1 without one */
    struct endpoint *endpoint;     /* that it belongs to */
    struct connection *connection; /* if it is one of a connection */
    int is_watched, is_hung;       /* is_hung: a hang-up has come, so the engine must not watch it any more */
    uint32_t events;               /* those that the engine looks for */
};

/* Has the engine look for these events, besides a hang-up; 0 if it cannot. */
int source_watch(spin_self *self, struct source *source, uint32_t events);

/* A hang-up cannot be left out: the engine would see it without end. What has come can be read still. */
void source_hang(spin_self *self, struct source *source);

/* Gives the socket away. */
int source_take(spin_self *self, struct source *source);

/* Ends the socket, also for another instance that has a copy of its descriptor. */
void source_end(spin_self *self, struct source *source);

/* Closes the descriptor alone. */
void source_close(spin_self *self, struct source *source);

#endif
