#include "server.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char not_valid[] = "setting `server`: it must be `redis://HOST[:PORT]` or `unix:/PATH`; the "
                                "user, the password and the database "
                                "have settings of their own";

static int is_in_name(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '-' || character == '.' || character == '_';
}

// Copies the host that the text begins with; the number of bytes that it takes, or 0.
static size_t read_host(const char *text, struct server *server) {
    int has_brackets = *text == '[';
    size_t size = 0;
    text += has_brackets;
    while (has_brackets ? text[size] && text[size] != ']' : is_in_name(text[size]))
        size++;
    if (size == 0 || size >= sizeof server->host || (has_brackets && !text[size]))
        return 0;
    memcpy(server->host, text, size);
    server->host[size] = 0;
    if (has_brackets && inet_pton(AF_INET6, server->host, &server->address.six.sin6_addr) != 1)
        return 0;
    return size + (has_brackets ? 2 : 0);
}

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
static void read_digits(struct server *server, unsigned long port) {
    struct sockaddr_in *four = &server->address.four;
    struct sockaddr_in6 *six = &server->address.six;
    if (inet_pton(AF_INET, server->host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        server->size = sizeof *four;
    } else if (inet_pton(AF_INET6, server->host, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons((uint16_t)port);
        server->size = sizeof *six;
    }
}

const char *server_read(spin_string text, struct server *server) {
    static const char start[] = "redis://";
    memset(server, 0, sizeof *server);
    if (memchr(text.data, 0, text.size))
        return not_valid;
    if (strncmp(text.data, "unix:", 5) == 0)
        return read_local(text.data + 5, server);
    const char *rest = text.data + sizeof start - 1;
    size_t taken = strncmp(text.data, start, sizeof start - 1) == 0 ? read_host(rest, server) : 0;
    if (taken == 0)
        return not_valid;
    rest += taken;
    unsigned long port = 6379;
    if (*rest == ':') {
        size_t digits = strspn(++rest, "0123456789");
        port = digits > 0 && digits <= 5 ? strtoul(rest, NULL, 10) : 0;
        rest += digits;
    }
    if (*rest || port < 1 || port > 65535)
        return not_valid;
    snprintf(server->port, sizeof server->port, "%hu", (unsigned short)port);
    read_digits(server, port);
    return NULL;
}
