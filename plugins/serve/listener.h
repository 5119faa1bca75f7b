// The calls of `requests`, and what they emit.
#ifndef SERVE_LISTENER_H
#define SERVE_LISTENER_H

#include "server.h"

/* One call. The list holds it until the call is over, and so does the function for its cancellation. */
struct listener {
    spin_self *self;
    spin_call *call;
    struct listener *next;
    int holders;        /* under `turn` */
    int is_over;        /* under `turn` */
    int waits_for_room; /* under `turn` */
};

/* Tells the loop of the requests that it was not told of. On the server's thread. */
void listeners_tell(spin_self *self);

/* Lets go of all calls. */
void listeners_end(spin_self *self);

#endif
