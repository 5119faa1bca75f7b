#include "tls.h"
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
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    return X509_VERIFY_PARAM_set1_ip_asc(rules, place->host) == 1 ||
           X509_VERIFY_PARAM_set1_host(rules, place->host, 0) == 1;
}

// The setting that cannot be used; NULL if all can.
static const char *load(SSL_CTX *context, const spin_config *config) {
    if (config->ca_file.size > 0 ? SSL_CTX_load_verify_file(context, config->ca_file.data) != 1
                                 : SSL_CTX_set_default_verify_paths(context) != 1)
        return "ca_file";
    if (config->certificate_file.size == 0)
        return NULL;
    if (SSL_CTX_use_certificate_chain_file(context, config->certificate_file.data) != 1)
        return "certificate_file";
    if (SSL_CTX_use_PrivateKey_file(context, config->key_file.data, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1)
        return "key_file";
    return NULL;
}

// Nobody can be asked for the password of a key.
static int no_password(char *text, int size, int writes, void *context) {
    (void)text, (void)size, (void)writes, (void)context;
    return -1;
}

SSL_CTX *tls_make(const spin_config *config, const struct place *place, char *reason, size_t size) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        !check_names(context, place)) {
        SSL_CTX_free(context);
        snprintf(reason, size, "TLS cannot be set up");
        return NULL;
    }
    ERR_clear_error(); // a name is no address
    SSL_CTX_set_app_data(context, (void *)(uintptr_t)place);
    SSL_CTX_set_info_callback(context, name_host);
    SSL_CTX_set_default_passwd_cb(context, no_password);
    const char *setting = load(context, config);
    if (!setting)
        return context;
    unsigned long error = ERR_peek_error();
    const char *cause =
        ERR_SYSTEM_ERROR(error) ? strerrordesc_np(ERR_GET_REASON(error)) : ERR_reason_error_string(error);
    snprintf(reason, size, "setting `%s`: the file cannot be used: %s", setting,
             cause ? cause : "unknown error");
    ERR_clear_error();
    SSL_CTX_free(context);
    return NULL;
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
