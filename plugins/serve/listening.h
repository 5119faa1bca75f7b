// The socket that listens.
#ifndef SERVE_LISTENING_H
#define SERVE_LISTENING_H

#include "server.h"

/* Whether a text is `ADDRESS:PORT`. */
int listening_is_valid(spin_string text);

/* Opens the socket, unless there is one; NULL, or why it cannot. */
const char *listening_open(spin_self *self, char *reason, size_t size);

/* The address of the socket as a text. */
void listening_name(int socket, char *name, size_t size);

/* Takes over the socket of another instance of this process, if it listens where the settings say. */
void listening_adopt(spin_self *self, int socket);

#endif
