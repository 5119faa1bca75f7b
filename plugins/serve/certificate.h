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
    /* When they are read again although they have not changed, as they could not be used; 0 if they could. */
    int64_t next_try;
    /* When they were read last, each alone could be used, but not both together. */
    int do_not_fit;
};

/* Reads both files if they have changed. The log tells of a changed certificate, and of one that has expired. Files
 * that cannot be used are read again after a minute: the process may have had no descriptor left. Until then the
 * certificate that was read before stays. NULL, or why there is no certificate. */
const char *certificate_prepare(spin_self *self, char *reason, size_t size);

/* How long files that cannot be used are left alone, in nanoseconds; tests set it. */
extern int64_t certificate_retry_delay;

/* The certificate for a new connection, after certificate_prepare. The session must end before certificate_release. */
struct certificate *certificate_use(spin_self *self, gnutls_session_t session);

/* What libmicrohttpd needs besides: it must not choose a certificate itself. */
extern const struct MHD_OptionItem certificate_options[];

#endif
