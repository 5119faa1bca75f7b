// Where the server is, as the setting says.
#ifndef POSTGRES_SERVER_H
#define POSTGRES_SERVER_H

#include "../postgres.h"
#include "../../common/place.h"
#include <libpq-fe.h>

struct server {
    PQconninfoOption *options;
    const char *host, *port;
    int is_local; /* whether the host is the folder of a local socket */
};

/* Reads the settings; NULL, or why they are not valid. */
const char *server_read(const spin_config *config, struct server *server);
void server_free(struct server *server);

/* Enough for the name of any server. */
enum { server_name_size = place_name_size };

/* Writes its name for the log: `HOST:PORT` or `unix:/PATH`. */
void server_name(const struct server *server, char name[server_name_size]);

/* Begins a connection to an address of the host, or to its local socket (NULL); NULL without memory. */
PGconn *server_connect(const spin_config *config, const struct server *server, const char *address);

#endif
