// For names of errors. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tls.h"
#include <openssl/err.h>
#include <stdio.h>
#include <string.h>

// The setting that cannot be used; NULL if all can.
static const char *load(SSL_CTX *context, const struct tls_files *files) {
    if (files->ca.size > 0 ? SSL_CTX_load_verify_file(context, files->ca.data) != 1
                           : SSL_CTX_set_default_verify_paths(context) != 1)
        return "ca_file";
    if (files->certificate.size == 0)
        return NULL;
    if (SSL_CTX_use_certificate_chain_file(context, files->certificate.data) != 1)
        return "certificate_file";
    if (SSL_CTX_use_PrivateKey_file(context, files->key.data, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1)
        return "key_file";
    return NULL;
}

// Nobody can be asked for the password of a key.
static int no_password(char *text, int size, int writes, void *context) {
    (void)text, (void)size, (void)writes, (void)context;
    return -1;
}

SSL_CTX *tls_context(const struct tls_files *files, char *reason, size_t size) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
        SSL_CTX_free(context);
        snprintf(reason, size, "TLS cannot be set up");
        return NULL;
    }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_default_passwd_cb(context, no_password);
    const char *setting = load(context, files);
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
