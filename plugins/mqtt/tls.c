#include "tls.h"
#include "../common/tls.h"
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

// libmosquitto is given an address, and would say that it is the name.
static void name_host(const SSL *ssl, int where, int value) {
    (void)value;
    const struct place *place = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    struct in6_addr address;
    if (where != SSL_CB_HANDSHAKE_START)
        return;
    int is_name =
        inet_pton(AF_INET, place->host, &address) != 1 && inet_pton(AF_INET6, place->host, &address) != 1;
    SSL_set_tlsext_host_name((SSL *)(uintptr_t)ssl, is_name ? (char *)(uintptr_t)place->host : NULL);
}

static int check_names(SSL_CTX *context, const struct place *place) {
    X509_VERIFY_PARAM *rules = SSL_CTX_get0_param(context);
    return X509_VERIFY_PARAM_set1_ip_asc(rules, place->host) == 1 ||
           X509_VERIFY_PARAM_set1_host(rules, place->host, 0) == 1;
}

SSL_CTX *tls_make(const spin_config *config, const struct place *place, char *reason, size_t size) {
    const struct tls_files files = {config->ca_file, config->certificate_file, config->key_file};
    SSL_CTX *context = tls_context(&files, reason, size);
    if (!context)
        return NULL;
    if (!check_names(context, place)) {
        SSL_CTX_free(context);
        snprintf(reason, size, "TLS cannot be set up");
        return NULL;
    }
    ERR_clear_error(); // a name is no address
    SSL_CTX_set_app_data(context, (void *)(uintptr_t)place);
    SSL_CTX_set_info_callback(context, name_host);
    return context;
}

int tls_use(struct mosquitto *client, SSL_CTX *context) {
    int error = mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0);
    return error ? error : mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, context);
}

int tls_is_in_handshake(struct mosquitto *client, short *events) {
    const SSL *ssl = mosquitto_ssl_get(client);
    if (!ssl || !SSL_in_init(ssl))
        return 0;
    *events = SSL_want_write(ssl) ? POLLOUT : POLLIN;
    return 1;
}

const char *tls_refusal(struct mosquitto *client) {
    const SSL *ssl = mosquitto_ssl_get(client);
    long result = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;
    return result == X509_V_OK ? NULL : X509_verify_cert_error_string(result);
}

int tls_send(struct mosquitto *client, const void *packet, size_t size) {
    SSL *ssl = mosquitto_ssl_get(client);
    struct pollfd place = {mosquitto_socket(client), POLLOUT, 0};
    if (poll(&place, 1, 0) != 1 || place.revents != POLLOUT)
        return 0;
    ERR_clear_error();
    ssize_t sent = ssl ? SSL_write(ssl, packet, (int)size) : send(place.fd, packet, size, MSG_NOSIGNAL);
    // A part of a packet cannot be taken back. OpenSSL would want the same bytes once more.
    if (sent != (ssize_t)size)
        shutdown(place.fd, SHUT_RDWR);
    return sent == (ssize_t)size;
}
