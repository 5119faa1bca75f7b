// What server and client say of themselves at the begin of a connection.
#include "../instance.h"
#include "../wire/json.h"
#include "../../common/tls.h"
#include <stdio.h>
#include <string.h>

static void add(spin_self *self, const char *text) { link_add(self, text, strlen(text)); }

// Adds a text of JSON.
static void add_text(spin_self *self, const char *name, spin_string text) {
    char escape[8];
    if (text.size == 0)
        return;
    add(self, ",\"");
    add(self, name);
    add(self, "\":\"");
    for (size_t i = 0; i < text.size; i++) {
        unsigned char character = (unsigned char)text.data[i];
        if (character < ' ' || character == '"' || character == '\\' || character == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", character);
            add(self, escape);
        } else {
            link_add(self, text.data + i, 1);
        }
    }
    add(self, "\"");
}

static spin_string text_of(const char *text) { return (spin_string){text, strlen(text)}; }

// Shows that the client has the key. 0 after a failure.
static int add_signature(spin_self *self) {
    char signature[nkey_signature_size];
    if (!nkey_sign(&self->key, self->link.nonce, signature))
        return 0;
    add_text(self, "jwt", self->jwt);
    if (!self->jwt.data)
        add_text(self, "nkey", text_of(self->key.public_key));
    add_text(self, "sig", text_of(signature));
    return 1;
}

void greet_back(spin_self *self) {
    const spin_config *config = self->config;
    struct link *link = &self->link;
    link->state = LINK_GREETS;
    add(self,
        "CONNECT {\"verbose\":false,\"pedantic\":false,\"lang\":\"c\",\"version\":\"1.0.0\",\"protocol\":1,"
        "\"headers\":true,\"no_responders\":true,\"echo\":true");
    add(self, link->stream.ssl ? ",\"tls_required\":true" : ",\"tls_required\":false");
    add_text(self, "name", config->name);
    add_text(self, "user", config->user);
    add_text(self, "pass", config->password);
    add_text(self, "auth_token", config->token);
    if (self->has_key && link->nonce[0] && !add_signature(self)) {
        link_lose(self, "the answer to the server cannot be signed");
        return;
    }
    add(self, "}\r\n");
    link_ping(self);
}

const char *link_prepare_tls(spin_self *self, char *reason, size_t size) {
    const spin_config *config = self->config;
    const struct tls_files files = {config->ca_file, config->certificate_file, config->key_file};
    if (!self->tls)
        self->tls = tls_context(&files, reason, size);
    return self->tls ? NULL : reason;
}

static void begin_tls(spin_self *self) {
    struct link *link = &self->link;
    char reason[most_reason];
    const char *why = link_prepare_tls(self, reason, sizeof reason);
    if (why)
        link_lose(self, why);
    else if (pieces_size(&link->parser.received) > 0)
        link_lose(self, "the server has sent something before TLS");
    else if (!stream_begin_tls(&link->stream, self->tls, self->places[link->server].host))
        link_lose(self, "no memory for TLS");
    else
        link->state = LINK_HANDSHAKES;
}

void greet(spin_self *self, spin_string info) {
    struct link *link = &self->link;
    int needs_tls = json_is_true(json_member(info, "tls_required"));
    int wants_tls = self->places[link->server].has_tls;
    link->max_payload = json_integer(json_member(info, "max_payload"), link->max_payload);
    if (link->state != LINK_LISTENS)
        return;
    json_text(json_member(info, "nonce"), link->nonce, sizeof link->nonce);
    if (!json_is_true(json_member(info, "headers")))
        link_lose(self, "the server does not know headers: it is older than nats-server 2.2");
    else if (needs_tls || (wants_tls && json_is_true(json_member(info, "tls_available"))))
        begin_tls(self);
    else if (wants_tls)
        link_lose(self, "the server does not offer TLS");
    else
        greet_back(self);
}
