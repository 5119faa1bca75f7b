#include "server.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char not_valid[] = "setting `server`: it must be `redis://HOST[:PORT]` or `unix:/PATH`; the "
                                "user, the password and the database "
                                "have settings of their own";

static const char *read_local(const char *path, struct server *server) {
    if (*path != '/')
        return not_valid;
    if (strlen(path) >= sizeof server->address.local.sun_path)
        return "setting `server`: the path of a local socket has at most 107 bytes";
    server->size = sizeof server->address.local;
    server->address.local.sun_family = AF_UNIX;
    strcpy(server->address.local.sun_path, path);
    return NULL;
}

// An address in digits is not looked up: the system would look at files, and ask a service of its own.
static void read_digits(struct server *server) {
    struct sockaddr_in *four = &server->address.four;
    struct sockaddr_in6 *six = &server->address.six;
    in_port_t port = htons((uint16_t)atoi(server->place.port));
    if (inet_pton(AF_INET, server->place.host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = port;
        server->size = sizeof *four;
    } else if (inet_pton(AF_INET6, server->place.host, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = port;
        server->size = sizeof *six;
    }
}

const char *server_read(spin_string text, struct server *server) {
    static const struct place_kind kind = {"redis://", "rediss://", 6379, 6379};
    memset(server, 0, sizeof *server);
    if (!memchr(text.data, 0, text.size) && strncmp(text.data, "unix:", 5) == 0)
        return read_local(text.data + 5, server);
    if (!place_read(text, &kind, &server->place))
        return not_valid;
    if (server->place.has_tls)
        return "setting `server`: the plugin has no TLS, so it cannot use `rediss://`";
    read_digits(server);
    return NULL;
}

void server_name(const struct server *server, char name[server_name_size]) {
    if (server->place.host[0])
        place_name(server->place.host, server->place.port, name);
    else
        snprintf(name, server_name_size, "unix:%s", server->address.local.sun_path);
}
