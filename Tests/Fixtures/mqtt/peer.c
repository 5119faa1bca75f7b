#include "peer.h"
#include "../plugin-host/host.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int peer_listen(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("a broker listens", bind(listener, (struct sockaddr *)&address, size) == 0 &&
                                  listen(listener, 8) == 0 &&
                                  getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    *port = ntohs(address.sin_port);
    return listener;
}

int peer_accept(int listener, int has_session, int code) {
    struct packet packet;
    int peer = accept(listener, NULL, NULL);
    check("a client comes", peer >= 0);
    peer_read(peer, 0x10, &packet);
    peer_send(peer, 0x20, (uint8_t[]){(uint8_t)has_session, (uint8_t)code}, 2);
    return peer;
}

void peer_send(int peer, uint8_t head, const void *body, size_t size) {
    uint8_t bytes[65536 + 4] = {head};
    size_t used = 1;
    for (size_t left = size;;) {
        bytes[used++] = (uint8_t)(left % 128 | (left > 127 ? 128 : 0));
        if ((left /= 128) == 0)
            break;
    }
    check("there is room for a packet", used + size <= sizeof bytes);
    if (size > 0)
        memcpy(bytes + used, body, size);
    // A client that has closed the connection takes nothing.
    (void)!send(peer, bytes, used + size, MSG_NOSIGNAL);
}

void peer_publish(int peer, const char *topic, const char *payload, int qos, int retained, int number) {
    uint8_t body[4096];
    size_t length = strlen(topic), size = 0;
    body[size++] = (uint8_t)(length >> 8);
    body[size++] = (uint8_t)length;
    memcpy(body + size, topic, length);
    size += length;
    if (qos > 0) {
        body[size++] = (uint8_t)(number >> 8);
        body[size++] = (uint8_t)number;
    }
    memcpy(body + size, payload, strlen(payload));
    peer_send(peer, (uint8_t)(0x30 | qos << 1 | retained), body, size + strlen(payload));
}

static void read_bytes(int peer, void *target, size_t size) {
    check("a packet is whole", size == 0 || recv(peer, target, size, MSG_WAITALL) == (ssize_t)size);
}

int peer_next(int peer) {
    uint8_t head;
    check("a packet comes", recv(peer, &head, 1, MSG_PEEK) == 1);
    return head & 0xf0;
}

int peer_read(int peer, uint8_t type, struct packet *packet) {
    uint8_t byte;
    char found[8], expected[8];
    read_bytes(peer, &packet->head, 1);
    packet->size = 0;
    for (int shift = 0;; shift += 7) {
        read_bytes(peer, &byte, 1);
        packet->size |= (size_t)(byte & 127) << shift;
        if (byte < 128)
            break;
    }
    check("a packet fits", packet->size < sizeof packet->body);
    read_bytes(peer, packet->body, packet->size);
    packet->body[packet->size] = 0;
    snprintf(found, sizeof found, "%02x", packet->head & 0xf0);
    snprintf(expected, sizeof expected, "%02x", type);
    expect("the type of a packet", found, expected);
    return packet->size >= 2 ? packet->body[0] << 8 | packet->body[1] : 0;
}

const char *peer_grant(int peer, struct packet *packet, int qos) {
    int number = peer_read(peer, 0x80, packet);
    peer_send(peer, 0x90, (uint8_t[]){(uint8_t)(number >> 8), (uint8_t)number, (uint8_t)qos}, 3);
    packet->body[packet->size - 1] = 0;
    return (const char *)packet->body + 4;
}

void peer_answer(int peer, uint8_t head, int number) {
    peer_send(peer, head, (uint8_t[]){(uint8_t)(number >> 8), (uint8_t)number}, 2);
}

const char *peer_message(int peer, struct packet *packet, char *text, size_t size) {
    size_t length = (size_t)peer_read(peer, 0x30, packet);
    int qos = packet->head >> 1 & 3;
    snprintf(text, size, "%.*s %s q%d%s%s", (int)length, (const char *)packet->body + 2,
             (const char *)packet->body + 2 + length + (qos > 0 ? 2 : 0), qos,
             packet->head & 1 ? " retained" : "", packet->head & 8 ? " again" : "");
    return text;
}

int peer_is_left(int peer, struct packet *packet) {
    peer_read(peer, 0xe0, packet);
    return recv(peer, packet->body, 1, 0) == 0;
}
