// Certificates that the tests make, and clients of GnuTLS.
#ifndef SERVE_TEST_SECURE_H
#define SERVE_TEST_SECURE_H

#include <gnutls/gnutls.h>
#include <stddef.h>

/* The files of the certificate and of its key, in a folder that secure_end removes. */
extern char certificate_path[64], key_path[64];
void secure_begin(void);
void secure_end(void);

/* Makes a certificate whose serial number is this. */
void make_certificate(unsigned char serial);

/* Puts a file in the place of another one, and reads one of at most 4096 bytes. */
void write_file(const char *path, const void *text, size_t size);
size_t read_whole(const char *path, char *text);

/* Ends the program if a function of GnuTLS has failed. */
void well(int error);

struct client {
    int socket;
    gnutls_certificate_credentials_t credentials;
    gnutls_session_t session;
};

/* A client before its handshake, and behind it. */
void prepare(struct client *client, int port);
void connect_secure(struct client *client, int port);
void disconnect(struct client *client);

/* The serial number of the server's certificate, as this client has it, or as a new one gets it. */
int serial_of(const struct client *client);
int serial_at(int port);

/* Asks, which no loop hears: the status of the answer. */
const char *ask_secure(const struct client *client, char *found);

/* Reads until the bytes end with the text, or the connection ends: whether they do. */
int read_secure_to(const struct client *client, const char *end);

#endif
