// The certificate of the server and its key, for TLS. Both files are read again when they have changed.
#ifndef SERVE_CERTIFICATE_H
#define SERVE_CERTIFICATE_H

#include "serve.h"
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <sys/stat.h>

/* What tells a file from its next version. All zero: it cannot be found. */
struct version {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec changed;
};

/* The certificate of new connections. NULL without TLS. For the server's thread, and for `start` before it. */
struct certificates {
    struct certificate *newest;
    /* The files when they were last read: that of the certificate, and that of the key. */
    struct version versions[2];
};

/* Reads both files, unless they are those that were read last. NULL, or why they cannot be used: then new connections
 * get the certificate that was read before, if there is one. */
const char *certificate_read(spin_self *self, char *reason, size_t size);

/* The certificate for a new connection, whose session must end before certificate_release. It logs a changed
 * certificate, and one that has expired. */
struct certificate *certificate_use(spin_self *self, gnutls_session_t session);
void certificate_release(struct certificate *certificate);

/* Logs it if the newest certificate has expired, or is not valid yet; once for each certificate. */
void certificate_check_time(spin_self *self);

/* What libmicrohttpd needs besides: it must not choose a certificate itself. */
extern const struct MHD_OptionItem certificate_options[];

#endif
