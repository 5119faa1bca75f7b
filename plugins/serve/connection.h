// Connections, and how long each may take until its next request is whole. For the server's thread alone.
#ifndef SERVE_CONNECTION_H
#define SERVE_CONNECTION_H

#include "server.h"

struct connection {
    spin_self *self;
    struct MHD_Connection *handle;
    int socket;
    int is_fresh;   /* it has made no request yet */
    int is_late;    /* it was ended, as it took too long */
    int reads;      /* it is in the list of those that a request is expected of */
    int is_watched; /* it was paused in its handshake */
    int is_paused;
    int64_t due;
    struct certificate *certificate; /* NULL without TLS */
    struct connection *next, *previous;
};

/* Libmicrohttpd calls it when a connection begins and ends. */
void connection_notify(void *context, struct MHD_Connection *connection, void **own,
                       enum MHD_ConnectionNotificationCode code);

/* A request has begun, is whole, and is over: then the next one is expected. */
void connection_begins(spin_self *self, struct MHD_Connection *connection);
void connection_is_whole(spin_self *self, struct MHD_Connection *connection);
void connection_is_over(spin_self *self, struct MHD_Connection *connection);

/* Resumes connections that are paused, so that libmicrohttpd can close them. */
void connections_resume(spin_self *self);

/* Ends connections that take too long. Returns when the next one is due; INT64_MAX without one. */
int64_t connections_expire(spin_self *self);

#endif
