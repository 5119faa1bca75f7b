#include "credentials.h"
#include <errno.h>
#include <fcntl.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_bytes = 1 << 20 };

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
                                gnutls_x509_privkey_t key, int *do_not_fit, char *reason, size_t size) {
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
    *do_not_fit = 1;
    snprintf(reason, size, "setting `key_file`: `%s` is not the key of the first certificate in `%s`: %s",
             config->key_file.data, config->certificate_file.data, gnutls_strerror(error));
    certificate_release(made);
    return NULL;
}

struct certificate *certificate_load(const spin_config *config, int *do_not_fit, char *reason, size_t size) {
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
            made = join(config, chain, count, key, do_not_fit, reason, size);
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
