#include "peer.h"
#include "world.h"
#include <arpa/inet.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int peer_listen(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("a server listens", bind(listener, (struct sockaddr *)&address, size) == 0 &&
                                  listen(listener, 8) == 0 &&
                                  getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    reset_config();
    use_port(ntohs(address.sin_port));
    return listener;
}

static void receive(int peer, void *target, size_t size) {
    check("the client sends more", size == 0 || recv(peer, target, size, MSG_WAITALL) == (ssize_t)size);
}

static size_t receive_size(int peer) {
    uint32_t size;
    receive(peer, &size, sizeof size);
    return ntohl(size) - sizeof size;
}

int peer_accept(int listener) {
    char body[1024];
    int peer = accept(listener, NULL, NULL);
    check("a client comes", peer >= 0);
    size_t size = receive_size(peer);
    check("it begins", size < sizeof body);
    receive(peer, body, size);
    return peer;
}

void peer_send(int peer, char type, const void *body, size_t size) {
    char bytes[2048] = {type};
    uint32_t length = htonl((uint32_t)(size + sizeof length));
    check("there is room for a message", size + 5 <= sizeof bytes);
    memcpy(bytes + 1, &length, sizeof length);
    if (size > 0)
        memcpy(bytes + 5, body, size);
    // A client that has closed the connection takes nothing.
    (void)!send(peer, bytes, size + 5, MSG_NOSIGNAL);
}

void peer_send_text(int peer, char type, const char *text) { peer_send(peer, type, text, strlen(text) + 1); }

void peer_let_in(int peer) {
    peer_send(peer, 'R', "\0\0\0\0", 4);
    peer_send(peer, 'S', "server_version\00015.1", 20);
    peer_send(peer, 'S', "client_encoding\0UTF8", 21);
    peer_send(peer, 'K', "\0\0\0\1\0\0\0\2", 8);
    peer_ready(peer, 'I');
}

void peer_set_up(int peer) {
    peer_read(peer, NULL);
    peer_complete(peer, "SET", 'I');
}

int peer_open(int listener) {
    int peer = peer_accept(listener);
    peer_let_in(peer);
    peer_set_up(peer);
    return peer;
}

void peer_fail(int peer, const char *text) {
    char body[512] = "SFATAL";
    size_t size = strlen(text);
    check("there is room for a text", size < 400);
    memcpy(body + 7, "C28000", 7);
    body[14] = 'M';
    memcpy(body + 15, text, size + 1);
    peer_send(peer, 'E', body, 15 + size + 2);
}

void peer_ready(int peer, char state) { peer_send(peer, 'Z', &state, 1); }

void peer_complete(int peer, const char *tag, char state) {
    peer_send_text(peer, 'C', tag);
    peer_ready(peer, state);
}

void peer_begin_rows(int peer) {
    static const char column[] = "\0\1a\0\0\0\0\0\0\0\0\0\0\031\377\377\377\377\377\377\0";
    peer_send(peer, '1', "", 0);
    peer_send(peer, '2', "", 0);
    peer_send(peer, 'T', column, sizeof column);
}

void peer_row(int peer, const char *text) {
    char body[1024] = "\0\1\0\0";
    size_t size = strlen(text);
    uint32_t length = htonl((uint32_t)size);
    check("there is room for a row", size < 1000);
    memcpy(body + 2, &length, sizeof length);
    memcpy(body + 6, text, size);
    peer_send(peer, 'D', body, 6 + size);
}

static void read_message(int peer, char *type, char body[4096]) {
    receive(peer, type, 1);
    size_t size = receive_size(peer);
    check("a message is short", size < 4096);
    receive(peer, body, size);
}

void peer_read(int peer, const char *sql) {
    char type, body[4096];
    read_message(peer, &type, body);
    check("it is a simple statement", type == 'Q');
    if (sql)
        expect("it is this statement", body, sql);
}

void peer_read_statement(int peer) {
    char type = 0, body[4096];
    while (type != 'S')
        read_message(peer, &type, body);
}

void peer_pass(int peer) {
    struct pollfd place = {peer, POLLIN, 0};
    while (poll(&place, 1, 0) == 0)
        host_advance(SECOND / 10);
}

void peer_end(int peer) {
    char bytes[4096];
    while (recv(peer, bytes, sizeof bytes, 0) > 0)
        ;
    close(peer);
}
