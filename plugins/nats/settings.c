#include "settings.h"
#include "instance.h"
#include "wire/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_servers = 100, longest_inbox = 64 };

static int has_nul(spin_string text) { return memchr(text.data, 0, text.size) != NULL; }

// The reason has no part of a text, which may have a password.
static const char *read_places(const spin_config *config, spin_self *self, char reason[most_reason]) {
    static const struct place_kind urls = {"nats://", "tls://", 4222, 4222};
    size_t count = config->servers.count;
    if (count == 0 || count > most_servers)
        return "setting `servers`: there must be 1 to 100";
    self->places = calloc(count, sizeof *self->places);
    self->reasons = calloc(count, sizeof *self->reasons);
    if (!self->places || !self->reasons)
        return "no memory";
    for (size_t i = 0; i < count; i++)
        if (!place_read(config->servers.items[i], &urls, &self->places[i])) {
            snprintf(reason, most_reason,
                     "setting `servers`: server %zu must be `nats://HOST[:PORT]` or `tls://HOST[:PORT]`; "
                     "the user, the password and the token have settings of their own",
                     i + 1);
            return reason;
        }
    return NULL;
}

static const char *read_identity(const spin_config *config, spin_self *self) {
    int ways = (config->user.size > 0) + (config->token.size > 0) + (config->nkey.size > 0) +
               (config->credentials.size > 0);
    if (ways > 1)
        return "settings `user`, `token`, `nkey` and `credentials`: set only one of them";
    if (config->password.size > 0 && config->user.size == 0)
        return "setting `password`: it needs the setting `user`";
    self->has_key = config->nkey.size + config->credentials.size > 0;
    if (config->nkey.size > 0 && !nkey_read(config->nkey, &self->key))
        return "setting `nkey`: it is not the seed of a user, which begins with `SU`";
    if (config->credentials.size > 0 && !credentials_read(config->credentials, &self->jwt, &self->key))
        return "setting `credentials`: it does not have a JWT and the seed of a user's nkey";
    return NULL;
}

static const char *file_fault(const spin_config *config) {
    if ((config->certificate_file.size > 0) != (config->key_file.size > 0))
        return "settings `certificate_file` and `key_file`: one needs the other";
    if (has_nul(config->ca_file) || has_nul(config->certificate_file) || has_nul(config->key_file))
        return "settings `ca_file`, `certificate_file` and `key_file`: a name has a NUL character";
    return NULL;
}

const char *settings_read(const spin_config *config, spin_self *self, char reason[most_reason]) {
    const char *why = read_places(config, self, reason);
    if (!why)
        why = read_identity(config, self);
    if (!why)
        why = file_fault(config);
    if (!why && (config->inbox.size > longest_inbox || subject_fault(config->inbox)))
        why = "setting `inbox`: it must be the begin of a subject, with at most 64 bytes";
    if (!why && config->reconnect_least > config->reconnect_most)
        why = "setting `reconnect_least`: it is greater than `reconnect_most`";
    return why;
}
