// The connection for commands. All calls share it, and the server answers them in their order.
#ifndef REDIS_COMMANDS_H
#define REDIS_COMMANDS_H

#include "job.h"
#include "link/link.h"

struct commands {
    struct link link;
    struct job *blocked; /* whose answer waits for room; NULL without one */
};

void commands_init(spin_self *self);

/* Begins a command, or fails it. */
void commands_begin(spin_self *self, struct job *job);

/* Notes that the command of a call that is over was sent. */
void commands_note(spin_self *self, const struct job *job);

/* Notes those without an answer, at the end of the instance. */
void commands_end(spin_self *self);

/* Handles answers again if the one that waits can go, or its call is over. */
void commands_resume(spin_self *self);

#endif
