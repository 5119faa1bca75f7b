#include "place.h"
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int place_of(const struct address *address, struct place *place) {
    memset(place, 0, sizeof *place);
    if (address->kind == ADDRESS_UNIX) {
        const char *path = address->text + 5;
        place->local.sun_family = AF_UNIX;
        memcpy(place->local.sun_path, path, strlen(path));
        place->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
        return 1;
    }
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    if (getaddrinfo(address->host, address->port, &hints, &found) != 0)
        return 0;
    memcpy(&place->storage, found->ai_addr, found->ai_addrlen);
    place->size = found->ai_addrlen;
    freeaddrinfo(found);
    return 1;
}

void place_write(enum address_kind kind, const struct place *place, char text[address_size]) {
    char host[NI_MAXHOST], port[NI_MAXSERV];
    if (kind == ADDRESS_UNIX) {
        size_t start = offsetof(struct sockaddr_un, sun_path);
        int size = place->size > start ? (int)strnlen(place->local.sun_path, place->size - start) : 0;
        snprintf(text, address_size, "unix:%.*s", size, place->local.sun_path);
        return;
    }
    if (getnameinfo(&place->any, place->size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        strcpy(host, "?"), strcpy(port, "0");
    const char *name = kind == ADDRESS_TCP ? "tcp" : "udp";
    // A socket of IPv6 shows a peer of IPv4 so.
    const char *shown = strncmp(host, "::ffff:", 7) == 0 && strchr(host, '.') ? host + 7 : host;
    snprintf(text, address_size, strchr(shown, ':') ? "%s:[%.200s]:%s" : "%s:%.200s:%s", name, shown, port);
}
