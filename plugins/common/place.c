#include "place.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_in_name(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '-' || character == '.' || character == '_';
}

// Copies the host that the text begins with; the number of bytes that it takes, 0 if there is none.
static size_t read_host(const char *text, struct place *place) {
    size_t size = 0, taken;
    struct in6_addr address;
    if (*text == '[') {
        size = strcspn(++text, "]");
        taken = text[size] ? size + 2 : 0;
    } else {
        while (is_in_name(text[size]))
            size++;
        taken = size;
    }
    if (size == 0 || size >= sizeof place->host)
        return 0;
    memcpy(place->host, text, size);
    place->host[size] = 0;
    return taken == size || inet_pton(AF_INET6, place->host, &address) == 1 ? taken : 0;
}

// What follows a text that it begins with; NULL if it does not.
static const char *after(const char *text, const char *begin) {
    size_t size = strlen(begin);
    return strncmp(text, begin, size) == 0 ? text + size : NULL;
}

void place_name(const char *host, const char *port, char name[place_name_size]) {
    snprintf(name, place_name_size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

int place_read(spin_string text, const struct place_kind *kind, struct place *place) {
    if (memchr(text.data, 0, text.size))
        return 0;
    const char *rest = after(text.data, kind->secure);
    place->has_tls = rest != NULL;
    if (!rest)
        rest = after(text.data, kind->plain);
    size_t taken = rest ? read_host(rest, place) : 0;
    if (taken == 0)
        return 0;
    rest += taken;
    unsigned long port = place->has_tls ? kind->secure_port : kind->plain_port;
    if (*rest == ':') {
        size_t digits = strspn(++rest, "0123456789");
        port = digits > 0 && digits <= 5 ? strtoul(rest, NULL, 10) : 0;
        rest += digits;
    }
    if (*rest || port < 1 || port > 65535)
        return 0;
    snprintf(place->port, sizeof place->port, "%hu", (unsigned short)port);
    return 1;
}
