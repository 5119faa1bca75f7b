// The channels that calls of `listen` have, and what the server knows of them.
#ifndef POSTGRES_CHANNEL_H
#define POSTGRES_CHANNEL_H

#include "../postgres.h"
#include "../job.h"

enum channel_state {
    CHANNEL_IS_WANTED, /* the server does not know of it */
    CHANNEL_IS_ASKED,  /* the server has been asked to begin, or to end */
    CHANNEL_IS_THERE
};

struct channel {
    struct channel *next;
    enum channel_state state;
    struct job *first; /* its calls; a channel without one is left */
    char name[longest_channel + 1];
};

/* Adds a call to its channel, which is made if it is new; 0 without memory. */
int channel_join(struct channel **channels, struct job *job);

/* Takes a call out of its channel. */
void channel_leave(struct job *job);

struct channel *channel_find(struct channel *channels, const char *name);

/* Removes a channel. */
void channel_remove(struct channel **channels, struct channel *channel);

/* Writes the statement that begins or ends to listen. */
enum { longest_listen = 2 * longest_channel + 16 };
void channel_statement(const struct channel *channel, char text[longest_listen]);

#endif
