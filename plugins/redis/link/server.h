// Where the server is.
#ifndef REDIS_SERVER_H
#define REDIS_SERVER_H

#include "../redis.h"
#include <sys/un.h>

struct server {
    char host[256]; /* a name or an address, without brackets; empty for a local socket */
    char port[6];
    struct sockaddr_un local;
};

/* Reads the setting `server`; NULL, or why it is not valid. The reason has no part of the text, which may have a
 * password. */
const char *server_read(spin_string text, struct server *server);

#endif
