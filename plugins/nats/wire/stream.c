#include "stream.h"
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

int stream_connect(struct stream *stream, const struct sockaddr *place, socklen_t size) {
    const int yes = 1;
    *stream =
        (struct stream){.socket = socket(place->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (stream->socket < 0)
        return errno;
    // Messages are small, and each is whole when it is written.
    setsockopt(stream->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(stream->socket, place, size) == 0 || errno == EINPROGRESS)
        return 0;
    int error = errno;
    stream_close(stream);
    return error;
}

int stream_error(const struct stream *stream) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(stream->socket, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

// The certificate must have the name or the address that the setting says.
static int check_name(SSL *ssl, const char *host) {
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1)
        return 1;
    ERR_clear_error(); // A name is not an address.
    return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, (char *)(uintptr_t)host) == 1;
}

int stream_begin_tls(struct stream *stream, SSL_CTX *context, const char *host) {
    stream->ssl = SSL_new(context);
    if (!stream->ssl || SSL_set_fd(stream->ssl, stream->socket) != 1 || !check_name(stream->ssl, host))
        return 0;
    SSL_set_mode(stream->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_set_connect_state(stream->ssl);
    return 1;
}

// Whether OpenSSL waits for the socket. Otherwise the connection is lost.
static int waits(struct stream *stream, int result) {
    int error = SSL_get_error(stream->ssl, result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        return 1;
    stream->has_failed = 1;
    // The server refuses the certificate of a client after the handshake of TLS 1.3.
    stream->refusal = error == SSL_ERROR_SSL ? ERR_reason_error_string(ERR_peek_error()) : NULL;
    return 0;
}

int stream_handshake(struct stream *stream, char *reason, size_t capacity) {
    ERR_clear_error();
    int result = SSL_do_handshake(stream->ssl);
    if (result == 1)
        return 1;
    if (waits(stream, result))
        return 0;
    long refusal = SSL_get_verify_result(stream->ssl);
    if (refusal != X509_V_OK)
        snprintf(reason, capacity, "the certificate of the server is refused: %s",
                 X509_verify_cert_error_string(refusal));
    else
        snprintf(reason, capacity, "the server does not begin TLS: %s",
                 stream->refusal ? stream->refusal : "it has closed the connection");
    ERR_clear_error();
    return -1;
}

uint32_t stream_handshake_events(const struct stream *stream) {
    return SSL_want_write(stream->ssl) ? EPOLLOUT : EPOLLIN;
}

static ssize_t after_tls(struct stream *stream, int result) {
    if (result > 0)
        return result;
    return waits(stream, result) ? 0 : -1;
}

static ssize_t after_system(ssize_t result) {
    return result > 0 ? result : result < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static int limited(size_t size) { return size < 1 << 30 ? (int)size : 1 << 30; }

ssize_t stream_read(struct stream *stream, void *data, size_t size) {
    ERR_clear_error();
    return stream->ssl ? after_tls(stream, SSL_read(stream->ssl, data, limited(size)))
                       : after_system(recv(stream->socket, data, size, 0));
}

ssize_t stream_write(struct stream *stream, const void *data, size_t size) {
    ERR_clear_error();
    return stream->ssl ? after_tls(stream, SSL_write(stream->ssl, data, limited(size)))
                       : after_system(send(stream->socket, data, size, MSG_NOSIGNAL));
}

int stream_has_more(const struct stream *stream) { return stream->ssl && SSL_pending(stream->ssl) > 0; }

void stream_close(struct stream *stream) {
    if (stream->ssl && !stream->has_failed && SSL_is_init_finished(stream->ssl))
        SSL_shutdown(stream->ssl);
    SSL_free(stream->ssl);
    ERR_clear_error();
    if (stream->socket >= 0)
        close(stream->socket);
    *stream = (struct stream){.socket = -1};
}
