/* A server that does what a test says, line by line. */
#ifndef NATS_TEST_PEER_H
#define NATS_TEST_PEER_H

#include <stddef.h>

/* What most servers of the test say of themselves. */
#define PEER_INFO "INFO {\"server_id\":\"x\",\"headers\":true,\"max_payload\":1048576}\r\n"

/* Listens at a free port. */
int peer_listen(int *port);

/* The next connection, which has not heard anything. */
int peer_open(int listener);

/* The next connection, which was taken as a client, and has subscribed to answers. */
int peer_accept(int listener);

/* Greets a connection: its CONNECT, and then answers its ping. */
const char *peer_greet(int peer, const char *info);

void peer_send(int peer, const char *text);
void peer_send_bytes(int peer, const void *data, size_t size);

/* The next line, without its end; "" at the end of the connection. */
const char *peer_line(int peer);

/* The next line must begin so; the rest of it. */
const char *peer_expect(int peer, const char *begin);

/* The next line must be a subscription to the subject, without a queue; its number. */
enum { PEER_TICKET = 32 };
void peer_take_ticket(int peer, const char *subject, char ticket[PEER_TICKET]);

/* Sends a message for the subscription of this number. */
void peer_message(int peer, const char *subject, const char *ticket, const char *reply, const char *data);

/* Waits for the end of the connection. */
void peer_end(int peer);

#endif
