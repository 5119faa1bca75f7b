#include "greeting.h"
#include "trouble.h"
#include "../instance.h"
#include <stdio.h>

/* The most requests of a greeting. */
enum { most_requests = 3 };

void greeting_begin(struct link *link) {
    const spin_config *config = link->self->config;
    char database[16];
    snprintf(database, sizeof database, "%d", config->database);
    const char *const login[] = {"AUTH", config->user.data, config->password.data, NULL};
    const char *const plain_login[] = {"AUTH", config->password.data, NULL};
    const char *const choose[] = {"SELECT", database, NULL};
    const char *const ping[] = {"PING", NULL};
    int has_user = config->user.size > 0, logs_in = has_user || config->password.size > 0;
    struct request *all[most_requests];
    int count = 0, is_made = reply_begin(&link->reply, config->largest_answer);
    if (logs_in)
        all[count++] = request_make(REQUEST_LOGIN, has_user ? login : plain_login);
    if (config->database > 0)
        all[count++] = request_make(REQUEST_DATABASE, choose);
    all[count++] = request_make(REQUEST_FIRST_PING, ping);
    for (int i = count; i-- > 0;) {
        is_made &= all[i] != NULL;
        if (all[i])
            link_add_first(link, all[i], all[i]);
    }
    link->state = LINK_GREETS;
    if (is_made)
        link_write(link);
    else
        link_lose(link, "no memory");
}

// Why a server refuses a client. The text of its error may have the password, so no part of it is shown.
static const char *refusal_of(enum request_kind kind, spin_string error) {
    static const char *const causes[][2] = {
        {"WRONGPASS", "the server refuses the client: the user or the password is wrong"},
        {"ERR invalid password", "the server refuses the client: the user or the password is wrong"},
        {"ERR AUTH", "the server refuses the client: it has no password for the default user"},
        {"ERR Client sent AUTH", "the server refuses the client: it has no password for the default user"},
        {"ERR max number of clients", "the server refuses the client: it has too many of them"},
        {"DENIED", "the server refuses the client: it is in protected mode"}};
    const char *away = trouble_away(error);
    if (away)
        return away;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (trouble_begins(error, causes[i][0]))
            return causes[i][1];
    return kind == REQUEST_LOGIN      ? "the server refuses the client"
           : kind == REQUEST_DATABASE ? "the server refuses the database (setting `database`)"
                                      : NULL; // It answers, and other requests may succeed.
}

int greeting_answer(struct link *link) {
    const struct reply *reply = &link->reply;
    enum request_kind kind = link->first->kind;
    int is_error = reply->kinds[0] == REPLY_ERROR, is_ping = kind == REQUEST_FIRST_PING;
    const char *refusal = is_error ? refusal_of(kind, reply->values[0].text) : NULL;
    if (!refusal && !link_asked(link))
        refusal = "the server has sent an answer that nobody has asked for";
    if (!refusal && !is_error && !reply_is(reply, 0, is_ping ? "PONG" : "OK"))
        refusal = "the server does not answer as Redis does";
    if (refusal) {
        link_lose(link, refusal);
        return 0;
    }
    request_free(link_remove(link));
    if (is_ping)
        link_is_accepted(link);
    return 1;
}
