#include "handshake.h"
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

char *handshake_url(spin_string url, struct reason *why) {
    int is_secure = strncasecmp(url.data, "wss://", 6) == 0;
    if (!is_secure && strncasecmp(url.data, "ws://", 5) != 0) {
        refuse(why, "the URL does not begin with `ws://` or `wss://`");
        return NULL;
    }
    if (memchr(url.data, 0, url.size)) {
        refuse(why, "the URL has a NUL character");
        return NULL;
    }
    size_t scheme = is_secure ? 3 : 2, size = url.size - scheme + sizeof "https";
    char *found = malloc(size);
    if (found)
        snprintf(found, size, "http%s%s", is_secure ? "s" : "", url.data + scheme);
    else
        lacks_memory(why);
    return found;
}

int handshake_allows(const spin_list_string *headers, struct reason *why) {
    static const char *const own[] = {"Connection",
                                      "Upgrade",
                                      "Sec-WebSocket-Key",
                                      "Sec-WebSocket-Version",
                                      "Sec-WebSocket-Protocol",
                                      "Sec-WebSocket-Extensions"};
    for (size_t i = 0; i < headers->count; i++)
        for (size_t j = 0; j < sizeof own / sizeof *own; j++)
            if (has_name(headers->items[i].data, own[j]))
                return refuse(why, "the plugin sets the header `%s` itself", own[j]);
    return 1;
}

int handshake_set_protocols(struct handshake *handshake, const spin_list_string *protocols,
                            struct reason *why) {
    size_t size = 0;
    for (size_t i = 0; i < protocols->count; i++) {
        spin_string name = protocols->items[i];
        if (name.size == 0 || name.size > LONGEST_PROTOCOL || token_size(name.data, name.size) != name.size)
            return refuse(why, "a subprotocol is not a word such as `chat.v1`");
        size += name.size + 2;
    }
    if (size == 0)
        return 1;
    char *end = handshake->protocols = malloc(size + 1);
    if (!end)
        return lacks_memory(why);
    for (size_t i = 0; i < protocols->count; i++)
        end += sprintf(end, "%s%s", i > 0 ? ", " : "", protocols->items[i].data);
    return 1;
}

// What the server makes of the key.
static int expect_answer(struct handshake *handshake, const char *key) {
    char text[64];
    unsigned char hash[20];
    size_t size = sizeof hash;
    int length = snprintf(text, sizeof text, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    return EVP_Q_digest(NULL, "SHA1", NULL, text, (size_t)length, hash, &size) &&
           EVP_EncodeBlock((unsigned char *)handshake->expected, hash, sizeof hash) > 0;
}

int handshake_begin(struct handshake *handshake, struct request *request) {
    unsigned char nonce[16], key[32];
    char header[64];
    if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce || EVP_EncodeBlock(key, nonce, sizeof nonce) <= 0 ||
        !expect_answer(handshake, (const char *)key))
        return 0;
    snprintf(header, sizeof header, "Sec-WebSocket-Key: %s", key);
    if (!transfer_set_header(request, "Connection: Upgrade") ||
        !transfer_set_header(request, "Upgrade: websocket") ||
        !transfer_set_header(request, "Sec-WebSocket-Version: 13") || !transfer_set_header(request, header))
        return 0;
    if (!handshake->protocols)
        return 1;
    static const char name[] = "Sec-WebSocket-Protocol: ";
    size_t size = sizeof name + strlen(handshake->protocols);
    char *offer = malloc(size);
    if (!offer)
        return 0;
    snprintf(offer, size, "%s%s", name, handshake->protocols);
    int is_set = transfer_set_header(request, offer);
    free(offer);
    return is_set;
}

// The next word of `a, b`, with its size; NULL after the last one.
static const char *next_word(const char **text, const char *end, size_t *size) {
    const char *word = *text;
    while (word < end && (*word == ' ' || *word == '\t' || *word == ','))
        word++;
    *size = token_size(word, (size_t)(end - word));
    *text = word + *size;
    return *size > 0 ? word : NULL;
}

// Whether a list has this word.
static int has_word(spin_string list, spin_string word, int (*compare)(const char *, const char *, size_t)) {
    const char *text = list.data, *found;
    for (size_t size; (found = next_word(&text, list.data + list.size, &size));)
        if (size == word.size && compare(found, word.data, size) == 0)
            return 1;
    return 0;
}

static int is(spin_string text, const char *word) {
    return text.size == strlen(word) && strncasecmp(text.data, word, text.size) == 0;
}

void handshake_take(struct handshake *handshake, spin_string name, spin_string value) {
    static const spin_string upgrade = {"upgrade", 7};
    if (name.size == 0) {
        handshake->is_upgrade = handshake->has_token = handshake->is_accepted = handshake->has_extension = 0;
        handshake->protocol[0] = 0;
    } else if (is(name, "Upgrade")) {
        handshake->is_upgrade = is(value, "websocket");
    } else if (is(name, "Connection")) {
        handshake->has_token |= has_word(value, upgrade, strncasecmp);
    } else if (is(name, "Sec-WebSocket-Accept")) {
        handshake->is_accepted = value.size == strlen(handshake->expected) &&
                                 memcmp(value.data, handshake->expected, value.size) == 0;
    } else if (is(name, "Sec-WebSocket-Extensions")) {
        handshake->has_extension |= value.size > 0;
    } else if (is(name, "Sec-WebSocket-Protocol")) {
        // The caller has offered no longer one.
        size_t size = value.size < LONGEST_PROTOCOL ? value.size : LONGEST_PROTOCOL;
        memcpy(handshake->protocol, value.data, size);
        handshake->protocol[size] = 0;
    }
}

const char *handshake_problem(const struct handshake *handshake) {
    const char *all = handshake->protocols ? handshake->protocols : "", *chosen = handshake->protocol;
    if (!handshake->is_upgrade || !handshake->has_token)
        return "the server switches to another protocol than WebSocket";
    if (!handshake->is_accepted)
        return "the server's `Sec-WebSocket-Accept` is missing or wrong";
    if (handshake->has_extension)
        return "the server uses an extension that was not offered";
    if (chosen[0] &&
        !has_word((spin_string){all, strlen(all)}, (spin_string){chosen, strlen(chosen)}, strncmp))
        return "the server has chosen a subprotocol that was not offered";
    return NULL;
}
