// What clients with TLS have in common.
#ifndef COMMON_TLS_H
#define COMMON_TLS_H

#include <openssl/ssl.h>
#include <spinhost/plugin.h>

/* The settings `ca_file`, `certificate_file` and `key_file`; an empty name: no file. */
struct tls_files {
    spin_string ca, certificate, key;
};

/* Makes what connections of a client need, which trust those certificates or the system's. It does not check the name
 * of a server yet. NULL, and why not. */
SSL_CTX *tls_context(const struct tls_files *files, char *reason, size_t size);

#endif
