// Where the server is.
#ifndef REDIS_SERVER_H
#define REDIS_SERVER_H

#include "../redis.h"
#include "../../common/place.h"
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

struct server {
    struct place place; /* without a host for a local socket */
    socklen_t size;     /* of the address; 0 if the host is a name */
    union {
        struct sockaddr any;
        struct sockaddr_un local;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address;
};

/* Reads the setting `server`; NULL, or why it is not valid. The reason has no part of the text, which may have a
 * password. */
const char *server_read(spin_string text, struct server *server);

/* Enough for the name of any server. */
enum { server_name_size = place_name_size };

/* Writes its name for the log: `HOST:PORT` or `unix:/PATH`. */
void server_name(const struct server *server, char name[server_name_size]);

#endif
