#include "peer.h"
#include "../../plugin-host/host.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int peer_listen(int *port) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof place;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("the test listens", listener >= 0 && bind(listener, (struct sockaddr *)&place, size) == 0 &&
                                  listen(listener, 16) == 0 &&
                                  getsockname(listener, (struct sockaddr *)&place, &size) == 0);
    *port = ntohs(place.sin_port);
    return listener;
}

int peer_open(int listener) {
    int peer = accept(listener, NULL, NULL);
    check("the client connects", peer >= 0);
    return peer;
}

void peer_send_bytes(int peer, const void *data, size_t size) {
    check("the peer sends", send(peer, data, size, MSG_NOSIGNAL) == (ssize_t)size);
}

void peer_send(int peer, const char *text) { peer_send_bytes(peer, text, strlen(text)); }

const char *peer_line(int peer) {
    static char line[8192];
    size_t size = 0;
    while (size < sizeof line - 1 && recv(peer, line + size, 1, 0) == 1 && line[size] != '\n')
        size++;
    line[size > 0 && line[size - 1] == '\r' ? size - 1 : size] = 0;
    return line;
}

const char *peer_expect(int peer, const char *begin) {
    const char *line = peer_line(peer);
    if (strncmp(line, begin, strlen(begin)) != 0)
        expect("the next line", line, begin);
    return line + strlen(begin);
}

const char *peer_greet(int peer, const char *info) {
    static char client[4096];
    peer_send(peer, info);
    snprintf(client, sizeof client, "%s", peer_expect(peer, "CONNECT "));
    peer_expect(peer, "PING");
    peer_send(peer, "PONG\r\n");
    return client;
}

int peer_accept(int listener) {
    int peer = peer_open(listener);
    peer_greet(peer, PEER_INFO);
    peer_expect(peer, "SUB _INBOX.");
    return peer;
}

void peer_take_ticket(int peer, const char *subject, char ticket[PEER_TICKET]) {
    char line[1100];
    snprintf(line, sizeof line, "SUB %s ", subject);
    snprintf(ticket, PEER_TICKET, "%s", peer_expect(peer, line));
}

void peer_message(int peer, const char *subject, const char *ticket, const char *reply, const char *data) {
    char text[4096];
    snprintf(text, sizeof text, "MSG %s %s %s%s%zu\r\n%s\r\n", subject, ticket, reply, *reply ? " " : "",
             strlen(data), data);
    peer_send(peer, text);
}

void peer_end(int peer) {
    char bytes[4096];
    while (recv(peer, bytes, sizeof bytes, 0) > 0)
        ;
    close(peer);
}
