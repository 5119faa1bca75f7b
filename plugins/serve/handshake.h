// TLS handshakes. A connection whose client sends nothing is paused until it does: libmicrohttpd would try again and
// again. For the server's thread alone.
#ifndef SERVE_HANDSHAKE_H
#define SERVE_HANDSHAKE_H

#include "connection.h"

/* Has the session of a new connection read through this plugin. */
void handshake_watch(struct connection *connection, gnutls_session_t session);

/* Resumes a connection that is paused. */
void handshake_resume(struct connection *connection);

/* Resumes those whose clients have sent something, or have left. */
void handshakes_resume(spin_self *self);

#endif
