#include "address.h"
#include "place.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char not_valid[] =
    "an address is `tcp:HOST:PORT`, `udp:HOST:PORT` or `unix:/PATH`; an address of IPv6 has "
    "brackets, such as `tcp:[::1]:80`";

static int begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static int is_in_name(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '-' || character == '.' || character == '_';
}

int address_is_place(const struct address *address) {
    struct place place;
    return place_of(address, &place);
}

// Copies the host that the text begins with; the number of bytes that it takes, or 0.
static size_t read_host(const char *text, struct address *address) {
    int has_brackets = *text == '[';
    size_t size = 0;
    text += has_brackets;
    while (has_brackets ? text[size] && text[size] != ']' : is_in_name(text[size]))
        size++;
    if (size == 0 || size >= sizeof address->host || (has_brackets && !text[size]))
        return 0;
    memcpy(address->host, text, size);
    address->host[size] = 0;
    if (has_brackets && (!strchr(address->host, ':') || !address_is_place(address)))
        return 0;
    return size + (has_brackets ? 2 : 0);
}

static int read_port(const char *text, struct address *address) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits] || strtoul(text, NULL, 10) > 65535)
        return 0;
    snprintf(address->port, sizeof address->port, "%hu", (unsigned short)strtoul(text, NULL, 10));
    return 1;
}

const char *address_parse(spin_string text, struct address *address) {
    struct sockaddr_un local;
    if (memchr(text.data, 0, text.size) || text.size >= sizeof address->text)
        return not_valid;
    memset(address, 0, sizeof *address);
    memcpy(address->text, text.data, text.size);
    const char *rest = address->text + 4;
    strcpy(address->port, "0");
    if (begins(address->text, "unix:")) {
        address->kind = ADDRESS_UNIX;
        if (address->text[5] != '/')
            return "the path of a local socket begins with `/`, such as `unix:/run/app.sock`";
        return text.size - 5 < sizeof local.sun_path ? NULL
                                                     : "the path of a local socket has at most 107 bytes";
    }
    if (!begins(address->text, "tcp:") && !begins(address->text, "udp:"))
        return not_valid;
    address->kind = *address->text == 't' ? ADDRESS_TCP : ADDRESS_UDP;
    size_t size = read_host(rest, address);
    return size > 0 && rest[size] == ':' && read_port(rest + size + 1, address) ? NULL : not_valid;
}
