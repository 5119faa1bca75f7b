#include "nkey.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/* Two bytes of a prefix, or one, then the key, then a checksum. */
enum { seed_size = 2 + 32 + 2, public_size = 1 + 32 + 2, seed_prefix = 18 << 3, user_prefix = 20 << 3 };

// The checksum of XMODEM.
static unsigned checksum(const uint8_t *data, size_t size) {
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum ^= (unsigned)data[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            sum = (sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1) & 0xffff;
    }
    return sum;
}

static int decode(spin_string text, uint8_t bytes[seed_size]) {
    size_t size = 0;
    unsigned bits = 0, count = 0;
    if (text.size != (seed_size * 8 + 4) / 5)
        return 0;
    for (size_t i = 0; i < text.size; i++) {
        const char *place = memchr(letters, text.data[i], sizeof letters - 1);
        if (!place)
            return 0;
        bits = (bits << 5 | (unsigned)(place - letters)) & 0xfff;
        count += 5;
        if (count >= 8 && size < seed_size) {
            count -= 8;
            bytes[size++] = (uint8_t)(bits >> count);
        }
    }
    return size == seed_size;
}

static void encode(const uint8_t bytes[public_size], char *text) {
    unsigned bits = 0, count = 0;
    for (size_t i = 0; i < public_size; i++) {
        bits = (bits << 8 | bytes[i]) & 0xfff;
        for (count += 8; count >= 5; count -= 5)
            *text++ = letters[bits >> (count - 5) & 31];
    }
    *text = 0; // 280 bits are 56 letters.
}

static EVP_PKEY *pair(const struct nkey *key) {
    return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, key->seed, sizeof key->seed);
}

int nkey_read(spin_string seed, struct nkey *key) {
    uint8_t bytes[seed_size], public[public_size] = {user_prefix};
    if (!decode(seed, bytes))
        return 0;
    unsigned sum = checksum(bytes, seed_size - 2);
    int is_valid = bytes[seed_size - 2] == (sum & 0xff) && bytes[seed_size - 1] == sum >> 8 &&
                   (bytes[0] & 0xf8) == seed_prefix && ((bytes[0] & 7) << 5 | bytes[1] >> 3) == user_prefix;
    memcpy(key->seed, bytes + 2, sizeof key->seed);
    OPENSSL_cleanse(bytes, sizeof bytes);
    EVP_PKEY *keys = is_valid ? pair(key) : NULL;
    size_t size = sizeof key->seed;
    is_valid = keys && EVP_PKEY_get_raw_public_key(keys, public + 1, &size) == 1;
    EVP_PKEY_free(keys);
    if (!is_valid)
        return 0;
    sum = checksum(public, public_size - 2);
    public[public_size - 2] = sum & 0xff;
    public[public_size - 1] = (uint8_t)(sum >> 8);
    encode(public, key->public_key);
    return 1;
}

int nkey_sign(const struct nkey *key, const char *nonce, char signature[nkey_signature_size]) {
    uint8_t bytes[64];
    char text[89];
    size_t size = sizeof bytes;
    EVP_PKEY *keys = pair(key);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int is_signed = keys && context && EVP_DigestSignInit(context, NULL, NULL, NULL, keys) == 1 &&
                    EVP_DigestSign(context, bytes, &size, (const uint8_t *)nonce, strlen(nonce)) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(keys);
    if (!is_signed)
        return 0;
    EVP_EncodeBlock((uint8_t *)text, bytes, sizeof bytes);
    for (size_t i = 0; i < nkey_signature_size - 1; i++)
        signature[i] = (char)(text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i]);
    signature[nkey_signature_size - 1] = 0; // without the two `=` behind it
    return 1;
}

void nkey_clear(struct nkey *key) { OPENSSL_cleanse(key, sizeof *key); }

// The line behind that which begins a part of a file of credentials.
static spin_string part(spin_string content, const char *begin) {
    const char *line = memmem(content.data, content.size, begin, strlen(begin));
    const char *end = content.data + content.size;
    line = line ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    if (!line)
        return (spin_string){NULL, 0};
    size_t size = 0;
    for (line++; line + size < end && line[size] > ' ';)
        size++;
    return (spin_string){line, size};
}

// Characters of a JWT need no escape in JSON.
static int is_jwt(spin_string text) {
    for (size_t i = 0; i < text.size; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.", text.data[i]))
            return 0;
    return text.size > 0;
}

int credentials_read(spin_string content, spin_string *jwt, struct nkey *key) {
    *jwt = part(content, "-----BEGIN NATS USER JWT-----");
    spin_string seed = part(content, "-----BEGIN USER NKEY SEED-----");
    return jwt->data && seed.data && is_jwt(*jwt) && nkey_read(seed, key);
}
