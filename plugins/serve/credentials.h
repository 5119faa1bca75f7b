// A certificate and its key, as they are read from their files.
#ifndef SERVE_CREDENTIALS_H
#define SERVE_CREDENTIALS_H

#include "serve.h"
#include <gnutls/gnutls.h>
#include <time.h>

/* One version of both files. */
struct certificate {
    size_t users; /* connections, and the server while it is the newest one */
    gnutls_certificate_credentials_t credentials;
    time_t begins, expires;
    int is_told; /* that its time is over, or has not come */
};

/* Reads both files. Otherwise writes why they cannot be used, and sets `do_not_fit` if each alone could. */
struct certificate *certificate_load(const spin_config *config, int *do_not_fit, char *reason, size_t size);

void certificate_release(struct certificate *certificate);

#endif
