/* The server's side of a WebSocket, which sends each message back. Some texts make it do something else: `bye` lets it
 * close the connection with 4000, `last` lets it send a message and close in one piece, `drop` lets it drop the
 * connection, and `stall` lets it read no more until it is released. */
#ifndef HTTP_TEST_SOCKET_H
#define HTTP_TEST_SOCKET_H

/* Answers the request, and serves the connection until it ends. */
void socket_serve(int connection, const char *request);

/* Waits until clients have closed so many connections in all, with 1000. */
void socket_await_closed(int count);

/* Ends the connections that have stalled. */
void socket_release(void);

#endif
