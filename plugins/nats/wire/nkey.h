// An nkey: a pair of keys of Ed25519 by which a server knows a client, and its texts.
#ifndef NATS_NKEY_H
#define NATS_NKEY_H

#include "../nats.h"

/* The sizes of a public key and a signature as texts, with their NUL. */
enum { nkey_public_size = 57, nkey_signature_size = 87 };

struct nkey {
    uint8_t seed[32];
    char public_key[nkey_public_size];
};

/* Reads the seed of a user, `SU…`; 0 if the text is not one. */
int nkey_read(spin_string seed, struct nkey *key);

/* Signs what the server has made up; 0 if it cannot. */
int nkey_sign(const struct nkey *key, const char *nonce, char signature[nkey_signature_size]);

/* Forgets it. */
void nkey_clear(struct nkey *key);

/* Finds the JWT and the seed in the content of a file of credentials; 0 if they are not there. */
int credentials_read(spin_string content, spin_string *jwt, struct nkey *key);

#endif
