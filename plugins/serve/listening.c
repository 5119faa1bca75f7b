#include "listening.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { backlog = 511 };

/* An address to listen at. */
struct place {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address;
    socklen_t size;
};

static struct place four(struct in_addr address, in_port_t port) {
    struct place place = {.size = sizeof place.address.four};
    place.address.four.sin_family = AF_INET;
    place.address.four.sin_port = port;
    place.address.four.sin_addr = address;
    return place;
}

static struct place six(struct in6_addr address, in_port_t port) {
    struct place place = {.size = sizeof place.address.six};
    place.address.six.sin6_family = AF_INET6;
    place.address.six.sin6_port = port;
    place.address.six.sin6_addr = address;
    return place;
}

static in_port_t *port_of(struct place *place) {
    return place->address.any.sa_family == AF_INET6 ? &place->address.six.sin6_port
                                                    : &place->address.four.sin_port;
}

// The places that `127.0.0.1:80`, `[::1]:80` or `*:80` means, the best one first; 0 if the text is not one of these.
static size_t parse(spin_string text, struct place places[2]) {
    const char *colon = memrchr(text.data, ':', text.size);
    char host[64], *end;
    struct in_addr short_address;
    struct in6_addr long_address;
    if (!colon || memchr(text.data, 0, text.size))
        return 0;
    size_t length = (size_t)(colon - text.data);
    unsigned long port = strtoul(colon + 1, &end, 10);
    if (length == 0 || length >= sizeof host || colon[1] < '0' || colon[1] > '9' ||
        end != text.data + text.size || port > 65535)
        return 0;
    memcpy(host, text.data, length);
    host[length] = 0;
    if (strcmp(host, "*") == 0) {
        // The addresses of IPv6 have a part for IPv4. A system may have IPv4 alone.
        places[0] = six(in6addr_any, htons((uint16_t)port));
        places[1] = four((struct in_addr){htonl(INADDR_ANY)}, htons((uint16_t)port));
        return 2;
    }
    if (inet_pton(AF_INET, host, &short_address) == 1) {
        places[0] = four(short_address, htons((uint16_t)port));
        return 1;
    }
    if (*host != '[' || host[length - 1] != ']')
        return 0;
    host[length - 1] = 0;
    if (inet_pton(AF_INET6, host + 1, &long_address) != 1)
        return 0;
    places[0] = six(long_address, htons((uint16_t)port));
    return 1;
}

int listening_is_valid(spin_string text) {
    struct place places[2];
    return parse(text, places) > 0;
}

static int open_at(const struct place *place) {
    int on = 1, off = 0;
    int made = socket(place->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0)
        return -1;
    // Connections of the last process that are about to end do not keep the port.
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (place->address.any.sa_family == AF_INET6)
        setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(made, &place->address.any, place->size) == 0 && listen(made, backlog) == 0)
        return made;
    int error = errno;
    close(made);
    errno = error;
    return -1;
}

const char *listening_open(spin_self *self, char *reason, size_t size) {
    struct place places[2];
    size_t count = parse(self->config->listen, places);
    for (size_t i = 0; i < count && self->listening < 0; i++) {
        self->listening = open_at(&places[i]);
        if (self->listening < 0 && errno != EAFNOSUPPORT)
            break;
    }
    if (self->listening >= 0)
        return NULL;
    const char *cause = strerrordesc_np(errno);
    snprintf(reason, size, "cannot listen at `%s`: %s", self->config->listen.data,
             cause ? cause : "unknown error");
    return reason;
}

void listening_name(int socket, char *name, size_t size) {
    struct place place = {.size = sizeof place.address};
    char host[64], port[8];
    *name = 0;
    if (getsockname(socket, &place.address.any, &place.size) == 0 &&
        getnameinfo(&place.address.any, place.size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        snprintf(name, size, place.address.any.sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

// Whether a socket listens at a place. Port 0 means any.
static int is_at(struct place place, struct place *found) {
    if (place.address.any.sa_family != found->address.any.sa_family)
        return 0;
    if (*port_of(&place) == 0)
        *port_of(&place) = *port_of(found);
    return place.size == found->size && memcmp(&place.address, &found->address, place.size) == 0;
}

void listening_adopt(spin_self *self, int other) {
    struct place places[2], found = {.size = sizeof found.address};
    int listens = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(other, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens ||
        getsockname(other, &found.address.any, &found.size) != 0)
        return;
    size_t count = parse(self->config->listen, places);
    for (size_t i = 0; i < count && self->listening < 0; i++)
        if (is_at(places[i], &found))
            self->listening = fcntl(other, F_DUPFD_CLOEXEC, 0);
}
