#include "peer.h"
#include "../../plugin-host/host.h"
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int peer_listen(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int small = 65536; /* so that a peer that does not read holds up the client soon */
    check("a peer listens", setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small) == 0 &&
                                bind(listener, (struct sockaddr *)&address, size) == 0 &&
                                listen(listener, 8) == 0 &&
                                getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    *port = ntohs(address.sin_port);
    return listener;
}

int peer_take(int listener) {
    int peer = accept(listener, NULL, NULL);
    check("a client comes", peer >= 0);
    return peer;
}

int peer_is_alone(int listener) {
    struct pollfd place = {listener, POLLIN, 0};
    return poll(&place, 1, 0) == 0;
}

void peer_clear(int listener) {
    while (!peer_is_alone(listener))
        close(peer_take(listener));
}

int peer_greet(int listener) {
    int peer = peer_take(listener);
    peer_hear(peer, "PING");
    peer_say(peer, "+PONG\r\n");
    return peer;
}

/* Reads a line without its end. */
static void read_line(int peer, char *line, size_t capacity) {
    size_t size = 0;
    while (size < 2 || line[size - 1] != '\n') {
        check("there is a line", size < capacity && recv(peer, line + size, 1, 0) == 1);
        size++;
    }
    line[size - 2] = 0;
}

/* Reads a word of this size, and writes it, or how long it is. */
static size_t read_word(int peer, size_t size, char *to, size_t capacity) {
    char piece[4096];
    for (size_t left = size + 2; left > 0;) {
        ssize_t count = recv(peer, piece, left < sizeof piece ? left : sizeof piece, MSG_WAITALL);
        check("there is a word", count > 0);
        left -= (size_t)count;
    }
    return size < sizeof piece - 2 ? (size_t)snprintf(to, capacity, "%.*s", (int)size, piece)
                                   : (size_t)snprintf(to, capacity, "%zu bytes", size);
}

const char *peer_next(int peer) {
    static char found[8192];
    char line[64];
    size_t used = 0;
    read_line(peer, line, sizeof line);
    check("it is a command", *line == '*');
    int count = atoi(line + 1);
    for (int i = 0; i < count; i++) {
        read_line(peer, line, sizeof line);
        check("there is room for a word", *line == '$' && used + 4100 < sizeof found);
        if (i > 0)
            found[used++] = ' ';
        used += read_word(peer, (size_t)atoi(line + 1), found + used, sizeof found - used);
    }
    found[used] = 0;
    return found;
}

void peer_hear(int peer, const char *words) { expect("the client sends a command", peer_next(peer), words); }

void peer_send(int peer, const void *bytes, size_t size) {
    // A client that has closed the connection takes nothing.
    (void)!send(peer, bytes, size, MSG_NOSIGNAL);
}

void peer_say(int peer, const char *bytes) { peer_send(peer, bytes, strlen(bytes)); }

void peer_close(int peer) { close(peer); }

void peer_reset(int peer) {
    struct linger linger = {1, 0};
    check("a reset can be asked for", setsockopt(peer, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) == 0);
    close(peer);
}

void peer_end(int peer) {
    char bytes[4096];
    while (recv(peer, bytes, sizeof bytes, 0) > 0)
        ;
    close(peer);
}
