/* A server on a port of this machine, which answers each path with fixed bytes and closes the connection. */
#ifndef HTTP_TEST_SERVER_H
#define HTTP_TEST_SERVER_H

/* In place of bytes: the connection becomes a WebSocket (socket.h). */
#define SERVER_SOCKET server_socket
extern const char server_socket[];

struct answer {
    const char *path;
    const char *needs; /* a line that the request must have for this answer; NULL for none */
    const char *bytes; /* NULL: nothing, and the connection stays until the client closes it */
};

/* Begins to answer; the port. The answers end with a zeroed one. */
int server_start(const struct answer *answers);

/* Waits until so many clients have asked in all. */
void server_await(int asked);

/* Ends, once all connections are closed. */
void server_stop(void);

#endif
