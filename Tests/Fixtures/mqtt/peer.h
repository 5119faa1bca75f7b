/* A broker that does what a test says, packet by packet. */
#ifndef MQTT_TEST_PEER_H
#define MQTT_TEST_PEER_H

#include <stddef.h>
#include <stdint.h>

struct packet {
    uint8_t head;
    uint8_t body[65536];
    size_t size;
};

/* Listens at a free port. */
int peer_listen(int *port);

/* The next connection, which has sent CONNECT; answers with this flag and code. */
int peer_accept(int listener, int has_session, int code);

/* Sends a packet with a body of this size. */
void peer_send(int peer, uint8_t head, const void *body, size_t size);

/* Sends a message; `number` is that of its packet, if the QoS is not 0. */
void peer_publish(int peer, const char *topic, const char *payload, int qos, int retained, int number);

/* Waits for the next packet; its type. */
int peer_next(int peer);

/* Reads the next packet, whose type must be this one, such as 0x40. The number that it begins with. */
int peer_read(int peer, uint8_t type, struct packet *packet);

/* Reads SUBSCRIBE, and answers with this QoS, or 128. The filter. */
const char *peer_grant(int peer, struct packet *packet, int qos);

/* Answers a packet with its number. */
void peer_answer(int peer, uint8_t head, int number);

/* Reads a message; `topic payload qN`. */
const char *peer_message(int peer, struct packet *packet, char *text, size_t size);

/* Whether the client has closed the connection in order. */
int peer_is_left(int peer, struct packet *packet);

#endif
