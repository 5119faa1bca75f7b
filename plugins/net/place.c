#include "place.h"
#include "../std/utf8.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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
    // Not getaddrinfo, which looks at files of the system also for digits.
    struct sockaddr_in *four = (struct sockaddr_in *)&place->storage;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&place->storage;
    in_port_t port = htons((uint16_t)strtoul(address->port, NULL, 10));
    if (inet_pton(AF_INET, address->host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = port;
        place->size = sizeof *four;
        return 1;
    }
    six->sin6_family = AF_INET6;
    six->sin6_port = port;
    place->size = sizeof *six;
    return inet_pton(AF_INET6, address->host, &six->sin6_addr) == 1;
}

// A path need not be UTF-8, but the host emits no other text.
static void write_path(const struct place *place, char text[address_size]) {
    const size_t start = offsetof(struct sockaddr_un, sun_path), scheme = strlen("unix:");
    size_t size = place->size > start ? strnlen(place->local.sun_path, place->size - start) : 0;
    strcpy(text, "unix:");
    text[scheme + utf8_repair(place->local.sun_path, size, text + scheme)] = 0;
}

void place_write(enum address_kind kind, const struct place *place, char text[address_size]) {
    char host[INET6_ADDRSTRLEN] = "?";
    if (kind == ADDRESS_UNIX) {
        write_path(place, text);
        return;
    }
    const struct sockaddr_in *four = (const struct sockaddr_in *)&place->storage;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&place->storage;
    int is_six = place->any.sa_family == AF_INET6;
    // A socket of IPv6 has peers of IPv4, too.
    int is_mapped = is_six && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
    const void *bytes = is_mapped ? (const void *)&six->sin6_addr.s6_addr[12]
                        : is_six  ? (const void *)&six->sin6_addr
                                  : (const void *)&four->sin_addr;
    inet_ntop(is_six && !is_mapped ? AF_INET6 : AF_INET, bytes, host, sizeof host);
    snprintf(text, address_size, is_six && !is_mapped ? "%s:[%s]:%hu" : "%s:%s:%hu",
             kind == ADDRESS_TCP ? "tcp" : "udp", host, ntohs(is_six ? six->sin6_port : four->sin_port));
}
