// TLS of `serve`, with a client of GnuTLS and certificates that the test makes: changed files, and files that cannot be
// used.
#include "tls_test.h"
#include "world.h"
#include "server.h"
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/serve-test.XXXXXX";
static char certificate_path[64], key_path[64];

static void write_file(const char *path, const void *text, size_t size) {
    char next[80];
    snprintf(next, sizeof next, "%s.next", path);
    FILE *file = fopen(next, "w");
    check("a file is written",
          file && fwrite(text, 1, size, file) == size && fclose(file) == 0 && rename(next, path) == 0);
}

static void well(int error) { expect("GnuTLS does it", error >= 0 ? "" : gnutls_strerror(error), ""); }

/* Makes a certificate whose serial number is this. */
static void make_certificate(unsigned char serial) {
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

struct client {
    int socket;
    gnutls_certificate_credentials_t credentials;
    gnutls_session_t session;
};

static void connect_secure(struct client *client, int port) {
    client->socket = connect_to(port);
    well(gnutls_certificate_allocate_credentials(&client->credentials));
    well(gnutls_init(&client->session, GNUTLS_CLIENT));
    well(gnutls_set_default_priority(client->session));
    well(gnutls_credentials_set(client->session, GNUTLS_CRD_CERTIFICATE, client->credentials));
    gnutls_transport_set_int(client->session, client->socket);
    well(gnutls_handshake(client->session));
}

static void disconnect(struct client *client) {
    gnutls_deinit(client->session);
    gnutls_certificate_free_credentials(client->credentials);
    close(client->socket);
}

/* The serial number of the server's certificate. */
static int serial_of(const struct client *client) {
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

/* Asks, which no loop hears: the status of the answer. */
static const char *ask_secure(const struct client *client, char *found) {
    static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    char text[4096];
    well((int)gnutls_record_send(client->session, request, sizeof request - 1));
    ssize_t size = gnutls_record_recv(client->session, text, sizeof text - 1);
    well((int)size);
    text[size] = 0;
    snprintf(found, 8, "%.3s", text + 9);
    return found;
}

static int serial_at(int port) {
    struct client client;
    connect_secure(&client, port);
    int serial = serial_of(&client);
    disconnect(&client);
    return serial;
}

static void test_changed_certificate(spin_self *self) {
    char found[8];
    struct client first;
    int where = port(self);
    connect_secure(&first, where);
    check("the first certificate is there", serial_of(&first) == 1);
    make_certificate(2);
    check("a new connection gets the changed certificate", serial_at(where) == 2);
    make_certificate(3);
    check("so does the next one", serial_at(where) == 3);
    expect("a connection of before is not lost", ask_secure(&first, found), "503");
    disconnect(&first);
}

static void test_broken_certificate(spin_self *self) {
    int where = port(self);
    write_file(key_path, "no key", 6);
    check("the last good certificate stays", serial_at(where) == 3);
    life()->stop(self);
    start(self);
    check("it stays when the instance starts again", serial_at(port(self)) == 3);
    make_certificate(4);
    unlink(key_path);
    check("it stays without a file", serial_at(port(self)) == 3);
    make_certificate(5);
    check("then the next one comes", serial_at(port(self)) == 5);
}

static void test_start_without(const char *expected) {
    spin_self *self = create();
    spin_call *call = host_call("start");
    check("it does not start", life()->start(call, self) != SPIN_OK);
    check("the reason is there", strstr(host_ended(call), expected) != NULL);
    instance()->destroy(self);
}

void test_tls(void) {
    check("there is a folder", mkdtemp(folder) != NULL);
    snprintf(certificate_path, sizeof certificate_path, "%s/cert.pem", folder);
    snprintf(key_path, sizeof key_path, "%s/key.pem", folder);
    config.certificate_file = (spin_string){certificate_path, strlen(certificate_path)};
    config.key_file = (spin_string){key_path, strlen(key_path)};
    test_start_without("setting `certificate_file`: cannot open `/tmp/serve-test.");
    make_certificate(1);
    config.most_waiting = 0;
    spin_self *self = create();
    start(self);
    test_changed_certificate(self);
    test_broken_certificate(self);
    life()->stop(self);
    instance()->destroy(self);
    write_file(key_path, "no key", 6);
    test_start_without("key.pem` has no key as PEM without a password");
    config.certificate_file = config.key_file = (spin_string){"", 0};
    config.most_waiting = 1000;
    unlink(certificate_path);
    unlink(key_path);
    rmdir(folder);
}
