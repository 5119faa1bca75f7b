#include "secure.h"
#include "world.h"
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/serve-test.XXXXXX";
char certificate_path[64], key_path[64];

void write_file(const char *path, const void *text, size_t size) {
    char next[80];
    snprintf(next, sizeof next, "%s.next", path);
    FILE *file = fopen(next, "w");
    check("a file is written",
          file && fwrite(text, 1, size, file) == size && fclose(file) == 0 && rename(next, path) == 0);
}

size_t read_whole(const char *path, char *text) {
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, 4096, file) : 0;
    check("a file is read", size > 0 && fclose(file) == 0);
    return size;
}

void well(int error) { expect("GnuTLS does it", error >= 0 ? "" : gnutls_strerror(error), ""); }

void make_certificate(unsigned char serial) {
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t made;
    gnutls_datum_t text;
    well(gnutls_x509_privkey_init(&key));
    well(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1),
                                      0));
    well(gnutls_x509_crt_init(&made));
    well(gnutls_x509_crt_set_version(made, 3));
    well(gnutls_x509_crt_set_serial(made, &serial, sizeof serial));
    well(gnutls_x509_crt_set_activation_time(made, time(NULL) - 60));
    well(gnutls_x509_crt_set_expiration_time(made, time(NULL) + 3600));
    well(gnutls_x509_crt_set_key(made, key));
    well(gnutls_x509_crt_sign2(made, made, key, GNUTLS_DIG_SHA256, 0));
    well(gnutls_x509_crt_export2(made, GNUTLS_X509_FMT_PEM, &text));
    write_file(certificate_path, text.data, text.size);
    gnutls_free(text.data);
    well(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &text));
    write_file(key_path, text.data, text.size);
    gnutls_free(text.data);
    gnutls_x509_crt_deinit(made);
    gnutls_x509_privkey_deinit(key);
}

void prepare(struct client *client, int port) {
    client->socket = connect_to(port);
    well(gnutls_certificate_allocate_credentials(&client->credentials));
    well(gnutls_init(&client->session, GNUTLS_CLIENT));
    well(gnutls_set_default_priority(client->session));
    well(gnutls_credentials_set(client->session, GNUTLS_CRD_CERTIFICATE, client->credentials));
    gnutls_transport_set_int(client->session, client->socket);
}

void connect_secure(struct client *client, int port) {
    prepare(client, port);
    well(gnutls_handshake(client->session));
}

void disconnect(struct client *client) {
    gnutls_deinit(client->session);
    gnutls_certificate_free_credentials(client->credentials);
    close(client->socket);
}

int serial_of(const struct client *client) {
    unsigned count;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(client->session, &count);
    gnutls_x509_crt_t first;
    unsigned char serial[8];
    size_t size = sizeof serial;
    well(gnutls_x509_crt_init(&first));
    well(gnutls_x509_crt_import(first, chain, GNUTLS_X509_FMT_DER));
    well(gnutls_x509_crt_get_serial(first, serial, &size));
    gnutls_x509_crt_deinit(first);
    return serial[0];
}

const char *ask_secure(const struct client *client, char *found) {
    static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    char text[4096];
    well((int)gnutls_record_send(client->session, request, sizeof request - 1));
    ssize_t size = gnutls_record_recv(client->session, text, sizeof text - 1);
    well((int)size);
    text[size] = 0;
    snprintf(found, 8, "%.3s", text + 9);
    return found;
}

int serial_at(int port) {
    struct client client;
    connect_secure(&client, port);
    int serial = serial_of(&client);
    disconnect(&client);
    return serial;
}

int read_secure_to(const struct client *client, const char *end) {
    char text[4096];
    size_t size = 0;
    while (size < strlen(end) || memcmp(text + size - strlen(end), end, strlen(end)) != 0) {
        ssize_t count = gnutls_record_recv(client->session, text + size, 1);
        if (count <= 0)
            return 0;
        size += (size_t)count;
        check("there is room", size < sizeof text);
    }
    return 1;
}

void secure_begin(void) {
    check("there is a folder", mkdtemp(folder) != NULL);
    snprintf(certificate_path, sizeof certificate_path, "%s/cert.pem", folder);
    snprintf(key_path, sizeof key_path, "%s/key.pem", folder);
}

void secure_end(void) {
    unlink(certificate_path);
    unlink(key_path);
    rmdir(folder);
}
