// The bytes of a connection, with TLS or without. Nothing waits.
#ifndef NATS_STREAM_H
#define NATS_STREAM_H

#include "../nats.h"
#include <openssl/ssl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

struct stream {
    int socket; /* -1 without one */
    SSL *ssl;   /* NULL without TLS */
    int has_failed;
    const char *refusal; /* what TLS says of the end of the connection; NULL: nothing */
};

/* Begins to connect; 0, or an error number. */
int stream_connect(struct stream *stream, const struct sockaddr *place, socklen_t size);

/* The error of a socket that has become writable; 0 when it is connected. */
int stream_error(const struct stream *stream);

/* Begins TLS with a server of this name or address; 0 without memory. */
int stream_begin_tls(struct stream *stream, SSL_CTX *context, const char *host);

/* 1 when the handshake is done, 0 as long as it waits, -1 after a failure with its reason. */
int stream_handshake(struct stream *stream, char *reason, size_t capacity);

/* How many bytes were read or written; 0 when it would have to wait, -1 when the connection is lost. */
ssize_t stream_read(struct stream *stream, void *data, size_t size);
ssize_t stream_write(struct stream *stream, const void *data, size_t size);

/* Whether bytes have been read from the socket already that stream_read has not returned. */
int stream_has_more(const struct stream *stream);

/* The events that a handshake waits for. */
uint32_t stream_handshake_events(const struct stream *stream);

void stream_close(struct stream *stream);

#endif
