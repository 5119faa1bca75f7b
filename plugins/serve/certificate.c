#include "server.h"
#include "credentials.h"
#include <gnutls/abstract.h>
#include <string.h>
#include <time.h>

int64_t certificate_retry_delay = 60000000000;

// TLS 1.2 and 1.3, with keys that are of no use later, and ciphers that also authenticate.
static const char priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:"
                                 "-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305:-MAC-ALL:+AEAD:"
                                 "%SERVER_PRECEDENCE";

static int has_none(gnutls_session_t session, const gnutls_datum_t *names, int name_count,
                    const gnutls_pk_algorithm_t *kinds, int kind_count, gnutls_pcert_st **chain,
                    unsigned *count, gnutls_privkey_t *key) {
    (void)session, (void)names, (void)name_count, (void)kinds, (void)kind_count, (void)chain, (void)count,
        (void)key;
    return -1;
}

// Each connection gets its certificate by certificate_use. Without memory for that, its handshake fails.
const struct MHD_OptionItem certificate_options[] = {
    {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)priorities},
    {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(uintptr_t)has_none},
    {MHD_OPTION_END, 0, NULL}};

// Whether the files are other ones than those that were read last. Then they count as read.
static int have_changed(spin_self *self) {
    const char *paths[] = {self->config->certificate_file.data, self->config->key_file.data};
    struct version now[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        struct stat status;
        if (stat(paths[i], &status) != 0)
            continue;
        now[i].device = status.st_dev;
        now[i].number = status.st_ino;
        now[i].size = status.st_size;
        now[i].changed = status.st_ctim;
    }
    if (memcmp(now, self->certificates.versions, sizeof now) == 0)
        return 0;
    memcpy(self->certificates.versions, now, sizeof now);
    return 1;
}

static int needs_reading(spin_self *self) {
    const struct certificates *certificates = &self->certificates;
    int is_due = certificates->next_try != 0 && certificates->next_try <= monotonic_now();
    return have_changed(self) || is_due || !certificates->newest;
}

// Logs it if the newest certificate has expired, or is not valid yet; once for each certificate.
static void check_time(spin_self *self) {
    struct certificate *newest = self->certificates.newest;
    time_t now = time(NULL);
    if (newest->is_told || (newest->begins <= now && now <= newest->expires))
        return;
    int is_over = now > newest->expires;
    struct tm parts;
    char when[32] = "";
    if (gmtime_r(is_over ? &newest->expires : &newest->begins, &parts))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
    newest->is_told = 1;
    spin_log_with(NULL, SPIN_LOG_WARNING,
                  is_over ? "the certificate has expired" : "the certificate is not valid yet",
                  spin_field_text("file", self->config->certificate_file.data),
                  spin_field_text(is_over ? "expired" : "begins", when));
}

const char *certificate_prepare(spin_self *self, char *reason, size_t size) {
    struct certificates *certificates = &self->certificates;
    int is_first = certificates->newest == NULL;
    if (self->config->certificate_file.size == 0)
        return NULL;
    if (needs_reading(self)) {
        int do_not_fit = 0, did_not_fit = certificates->do_not_fit;
        struct certificate *made = certificate_load(self->config, &do_not_fit, reason, size);
        certificates->do_not_fit = do_not_fit;
        certificates->next_try = made ? 0 : monotonic_now() + certificate_retry_delay;
        if (!made && is_first)
            return reason;
        if (made) {
            certificate_release(certificates->newest);
            certificates->newest = made;
        }
        // Of two files that do not fit, the other one may be about to change.
        if (!made && (did_not_fit || !do_not_fit))
            spin_log_with(NULL, SPIN_LOG_WARNING, "the changed certificate is not used",
                          spin_field_text("reason", reason));
        else if (made && !is_first)
            spin_log_with(NULL, SPIN_LOG_INFO, "new connections get the changed certificate",
                          spin_field_text("file", self->config->certificate_file.data));
    }
    check_time(self);
    return NULL;
}

struct certificate *certificate_use(spin_self *self, gnutls_session_t session) {
    char reason[reason_size];
    certificate_prepare(self, reason, sizeof reason);
    struct certificate *newest = self->certificates.newest;
    if (gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, newest->credentials) != 0)
        return NULL;
    newest->users++;
    return newest;
}
