// The bytes of a link, in both directions.
#ifndef REDIS_SOCKET_H
#define REDIS_SOCKET_H

#include "link.h"
#include <sys/epoll.h>

/* Has the engine look for these events, besides a hang-up; 0 if it cannot. */
int socket_watch(struct link *link, uint32_t events);

/* A hang-up cannot be left out: the engine would see it without end. The bytes before it can be read still. */
void socket_hang(struct link *link);

/* Whether there is something that may be sent now. */
int socket_has_unsent(const struct link *link);

/* Reads once; 0 if there is nothing more now, or the connection is lost. */
int socket_receive(struct link *link);

/* Closes the socket, if there is one. */
void socket_close(struct link *link);

#endif
