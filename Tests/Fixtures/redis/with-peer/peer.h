/* A peer that plays a server. */
#ifndef REDIS_TEST_PEER_H
#define REDIS_TEST_PEER_H

#include <stddef.h>

/* Listens at a free port. */
int peer_listen(int *port);

/* Takes a connection; `peer_greet` also answers its first PING. */
int peer_take(int listener);
int peer_greet(int listener);

/* Reads a command, as words with spaces between, and expects it. A long word is `N bytes`. */
const char *peer_next(int peer);
void peer_hear(int peer, const char *words);

/* Sends bytes as they are. */
void peer_say(int peer, const char *bytes);
void peer_send(int peer, const void *bytes, size_t size);

/* Whether no client waits, and the end of those that wait. */
int peer_is_alone(int listener);
void peer_clear(int listener);

/* Closes the connection. */
void peer_close(int peer);

/* Closes the connection so that the client gets a reset. */
void peer_reset(int peer);

/* Waits until the client closes the connection, and closes it. */
void peer_end(int peer);

#endif
