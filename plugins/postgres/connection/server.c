#include "server.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_one_of(const char *word, const char *const words[]) {
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

// What a manifest may say in `server`. The plugin sets the others, or they would wait for something.
static int is_possible(const char *keyword) {
    static const char *const possible[] = {"host",
                                           "port",
                                           "dbname",
                                           "user",
                                           "application_name",
                                           "options",
                                           "sslmode",
                                           "sslrootcert",
                                           "sslcert",
                                           "sslkey",
                                           "sslcrl",
                                           "sslsni",
                                           "ssl_min_protocol_version",
                                           "ssl_max_protocol_version",
                                           "channel_binding",
                                           NULL};
    return is_one_of(keyword, possible);
}

static int is_port(const char *text) {
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && number > 0 && number < 65536;
}

/* Keywords whose words libpq checks only when it connects. */
struct choice {
    const char *keyword, *words[7], *reason;
};

#define PROTOCOLS                                                                                            \
    { "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3" }

static const struct choice choices[] = {
    {"sslmode",
     {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"},
     "setting `server`: `sslmode` is `disable`, `allow`, `prefer`, `require`, `verify-ca` or `verify-full`"},
    {"channel_binding",
     {"disable", "prefer", "require"},
     "setting `server`: `channel_binding` is `disable`, `prefer` or `require`"},
    {"ssl_min_protocol_version", PROTOCOLS,
     "setting `server`: `ssl_min_protocol_version` is `TLSv1`, `TLSv1.1`, `TLSv1.2` or `TLSv1.3`"},
    {"ssl_max_protocol_version", PROTOCOLS,
     "setting `server`: `ssl_max_protocol_version` is `TLSv1`, `TLSv1.1`, `TLSv1.2` or `TLSv1.3`"},
    {"sslsni", {"0", "1"}, "setting `server`: `sslsni` is `0` or `1`"},
};

static const char *check_word(const PQconninfoOption *option) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (strcmp(option->keyword, choices[i].keyword) == 0 && !is_one_of(option->val, choices[i].words))
            return choices[i].reason;
    return NULL;
}

static const char *check_option(const PQconninfoOption *option, struct server *server) {
    if (!option->val || !*option->val)
        return NULL;
    if (strcmp(option->keyword, "password") == 0)
        return "setting `server`: a password belongs in the setting `password`";
    if (!is_possible(option->keyword))
        return "setting `server`: it may have `host`, `port`, `dbname`, `user`, `application_name`, "
               "`options`, "
               "`channel_binding` and the keywords of TLS, and has another one";
    if (strcmp(option->keyword, "host") == 0)
        server->host = option->val;
    if (strcmp(option->keyword, "port") == 0)
        server->port = option->val;
    return check_word(option);
}

static const char *check(struct server *server) {
    server->port = "5432";
    for (const PQconninfoOption *option = server->options; option->keyword; option++) {
        const char *why = check_option(option, server);
        if (why)
            return why;
    }
    if (!server->host)
        return "setting `server`: it names no host";
    server->is_local = *server->host == '/';
    // A list of hosts has commas. A longer name is not the name of a host.
    if (strchr(server->host, ',') || (!server->is_local && strlen(server->host) > 253))
        return "setting `server`: it must name one host";
    return is_port(server->port) ? NULL : "setting `server`: the port must be a number up to 65535";
}

const char *server_read(const spin_config *config, struct server *server) {
    char *text = NULL;
    if (memchr(config->server.data, 0, config->server.size))
        return "setting `server`: it has a NUL character";
    if (memchr(config->password.data, 0, config->password.size))
        return "setting `password`: it has a NUL character";
    if (config->reconnect_least > config->reconnect_most)
        return "setting `reconnect_least`: it is greater than `reconnect_most`";
    server->options = PQconninfoParse(config->server.data, &text);
    // The text of libpq has parts of the setting, which may be a password in the wrong place.
    PQfreemem(text);
    if (!server->options)
        return "setting `server`: it must be `postgresql://USER@HOST:PORT/DATABASE`, or `host=… dbname=…`";
    const char *why = check(server);
    if (why)
        server_free(server);
    return why;
}

void server_free(struct server *server) {
    PQconninfoFree(server->options);
    server->options = NULL;
}

void server_name(const struct server *server, char name[server_name_size]) {
    if (server->is_local)
        snprintf(name, server_name_size, "unix:%s/.s.PGSQL.%s", server->host, server->port);
    else
        place_name(server->host, server->port, name);
}

/* The pairs that are given to libpq. */
struct pairs {
    const char *keywords[64], *values[64];
    size_t count;
};

static void add(struct pairs *pairs, const char *keyword, const char *value) {
    // The last pair stays NULL.
    if (pairs->count + 1 == sizeof pairs->values / sizeof *pairs->values || !value || !*value)
        return;
    pairs->keywords[pairs->count] = keyword;
    pairs->values[pairs->count++] = value;
}

PGconn *server_connect(const spin_config *config, const struct server *server, const char *address) {
    struct pairs pairs = {.count = 0};
    char silence[24];
    snprintf(silence, sizeof silence, "%lld", (long long)(config->keep_alive / 1000000000));
    for (const PQconninfoOption *option = server->options; option->keyword; option++)
        add(&pairs, option->keyword, option->val);
    add(&pairs, "hostaddr", address);
    add(&pairs, "password", config->password.data);
    add(&pairs, "client_encoding", "UTF8");
    add(&pairs, "fallback_application_name", "spinhost");
    add(&pairs, "keepalives_idle", silence);
    add(&pairs, "keepalives_interval", "10");
    add(&pairs, "keepalives_count", "3");
    // It would ask other servers, and wait for them.
    add(&pairs, "gssencmode", "disable");
    // With Kerberos libpq may wait for a name, and for a server of it. It knows this keyword from 16.
    add(&pairs, "require_auth", PQlibVersion() >= 160000 ? "!gss,!sspi" : NULL);
    // Without one, OpenSSL would ask at the terminal for the password of a key.
    add(&pairs, "sslpassword", " ");
    return PQconnectStartParams(pairs.keywords, pairs.values, 0);
}
