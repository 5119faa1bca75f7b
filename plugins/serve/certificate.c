#include "server.h"
#include <errno.h>
#include <fcntl.h>
#include <gnutls/abstract.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One version of both files. */
struct certificate {
    size_t users; /* connections, and the server while it is the newest one */
    gnutls_certificate_credentials_t credentials;
    time_t begins, expires;
    int is_told; /* that its time is over, or has not come */
};

enum { most_bytes = 1 << 20 };
static const int64_t retry_delay = 60000000000;

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

static const char *cause(void) {
    const char *text = strerrordesc_np(errno);
    return text ? text : "unknown error";
}

// Reads a whole file, whose bytes the caller frees with free_text; 0 and the reason otherwise.
static int read_file(const char *setting, const char *path, gnutls_datum_t *text, char *reason, size_t size) {
    struct stat status;
    // A pipe would block without O_NONBLOCK.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *text = (gnutls_datum_t){malloc(most_bytes), 0};
    if (file < 0)
        snprintf(reason, size, "setting `%s`: cannot open `%s`: %s", setting, path, cause());
    else if (!text->data)
        snprintf(reason, size, "no memory");
    else if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > most_bytes)
        snprintf(reason, size, "setting `%s`: `%s` is no file of at most a mebibyte", setting, path);
    else {
        ssize_t count;
        while (text->size < most_bytes &&
               (count = read(file, text->data + text->size, most_bytes - text->size)) > 0)
            text->size += (unsigned)count;
        close(file);
        return 1;
    }
    if (file >= 0)
        close(file);
    free(text->data);
    return 0;
}

// Keys must not stay in memory that is free.
static void free_text(gnutls_datum_t *text) {
    explicit_bzero(text->data, text->size);
    free(text->data);
}

static int read_chain(const spin_config *config, gnutls_x509_crt_t **chain, unsigned *count, char *reason,
                      size_t size) {
    const char *path = config->certificate_file.data;
    gnutls_datum_t text;
    if (!read_file("certificate_file", path, &text, reason, size))
        return 0;
    int error = gnutls_x509_crt_list_import2(chain, count, &text, GNUTLS_X509_FMT_PEM, 0);
    free_text(&text);
    if (error >= 0)
        return 1;
    snprintf(reason, size, "setting `certificate_file`: `%s` has no certificate as PEM: %s", path,
             gnutls_strerror(error));
    return 0;
}

static int read_key(const spin_config *config, gnutls_x509_privkey_t key, char *reason, size_t size) {
    const char *path = config->key_file.data;
    gnutls_datum_t text;
    if (!read_file("key_file", path, &text, reason, size))
        return 0;
    int error = gnutls_x509_privkey_import2(key, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
    free_text(&text);
    if (error >= 0)
        return 1;
    snprintf(reason, size, "setting `key_file`: `%s` has no key as PEM without a password: %s", path,
             gnutls_strerror(error));
    return 0;
}

// Brings a chain and its key together; NULL, and why they do not fit.
static struct certificate *join(const spin_config *config, gnutls_x509_crt_t *chain, unsigned count,
                                gnutls_x509_privkey_t key, char *reason, size_t size) {
    struct certificate *made = calloc(1, sizeof *made);
    if (!made || gnutls_certificate_allocate_credentials(&made->credentials) != 0) {
        snprintf(reason, size, "no memory");
        free(made);
        return NULL;
    }
    made->users = 1;
    made->begins = gnutls_x509_crt_get_activation_time(chain[0]);
    made->expires = gnutls_x509_crt_get_expiration_time(chain[0]);
    int error = gnutls_certificate_set_x509_key(made->credentials, chain, (int)count, key);
    if (error >= 0)
        return made;
    snprintf(reason, size, "setting `key_file`: `%s` is not the key of the first certificate in `%s`: %s",
             config->key_file.data, config->certificate_file.data, gnutls_strerror(error));
    certificate_release(made);
    return NULL;
}

static struct certificate *load(const spin_config *config, char *reason, size_t size) {
    gnutls_x509_crt_t *chain;
    unsigned count;
    gnutls_x509_privkey_t key;
    struct certificate *made = NULL;
    if (!read_chain(config, &chain, &count, reason, size))
        return NULL;
    if (gnutls_x509_privkey_init(&key) != 0) {
        snprintf(reason, size, "no memory");
    } else {
        if (read_key(config, key, reason, size))
            made = join(config, chain, count, key, reason, size);
        gnutls_x509_privkey_deinit(key);
    }
    for (unsigned i = 0; i < count; i++)
        gnutls_x509_crt_deinit(chain[i]);
    gnutls_free(chain);
    return made;
}

void certificate_release(struct certificate *certificate) {
    if (!certificate || --certificate->users > 0)
        return;
    gnutls_certificate_free_credentials(certificate->credentials);
    free(certificate);
}

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

// Reads both files, unless they are those that were read last. NULL, or why they cannot be used.
static const char *read_changed(spin_self *self, char *reason, size_t size) {
    struct certificates *certificates = &self->certificates;
    int is_due = certificates->next_try != 0 && certificates->next_try <= monotonic_now();
    if (!have_changed(self) && !is_due && certificates->newest)
        return NULL;
    struct certificate *made = load(self->config, reason, size);
    certificates->next_try = made ? 0 : monotonic_now() + retry_delay;
    if (!made)
        return reason;
    certificate_release(certificates->newest);
    certificates->newest = made;
    return NULL;
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
    if (self->config->certificate_file.size == 0)
        return NULL;
    const struct certificate *before = self->certificates.newest;
    const char *why = read_changed(self, reason, size);
    if (why && !before)
        return why;
    if (why)
        spin_log_with(NULL, SPIN_LOG_WARNING, "the changed certificate is not used",
                      spin_field_text("reason", why));
    else if (before && self->certificates.newest != before)
        spin_log_with(NULL, SPIN_LOG_INFO, "new connections get the changed certificate",
                      spin_field_text("file", self->config->certificate_file.data));
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
