#include "link.h"
#include "connecting.h"
#include "greeting.h"
#include "socket.h"
#include "../instance.h"
#include "../../common/patience.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void link_init(struct link *link, spin_self *self, const struct link_kind *kind) {
    link->self = self;
    link->kind = kind;
    link->socket = -1;
    link->due = INT64_MAX;
    link->last = link->sends = &link->first;
    link->next = self->links;
    self->links = link;
}

static void close_connection(struct link *link) {
    socket_close(link);
    lookup_end(link->lookup);
    link->lookup = NULL;
    reply_end(&link->reply);
    reply_clear(&link->reply);
    link->has_reply = 0;
    link->farewell = NULL;
    link->due = INT64_MAX;
}

static void free_requests(struct link *link) {
    for (struct request *request; (request = link_remove(link));)
        request_free(request);
}

void link_close(struct link *link) {
    close_connection(link);
    free_requests(link);
    link->state = LINK_IS_IDLE;
}

void link_free(struct link *link) {
    struct link **place = &link->self->links;
    while (*place != link)
        place = &(*place)->next;
    *place = link->next;
    link_close(link);
    reply_free(&link->reply);
}

static void set_due(struct link *link, int64_t due) {
    link->due = due;
    instance_come(link->self, due);
}

void link_begin(struct link *link) {
    if (link->state != LINK_IS_IDLE)
        return;
    link->state = LINK_RESTS;
    set_due(link, spin_monotonic());
}

void link_lose(struct link *link, const char *reason) {
    char text[most_reason];
    const spin_config *config = link->self->config;
    int64_t now = spin_monotonic();
    // The reason may be in memory of the connection.
    snprintf(text, sizeof text, "%s", reason);
    if (link->state == LINK_IS_UP && now - link->up_since >= SHORTEST_HOLD)
        link->failures = 0;
    close_connection(link);
    link->state = LINK_RESTS;
    set_due(link, now + patience(config->reconnect_least, config->reconnect_most, ++link->failures));
    if (strcmp(link->reason, text) != 0) {
        char server[server_name_size];
        server_name(&link->self->server, server);
        spin_log_with(NULL, SPIN_LOG_WARNING, "not connected to the server",
                      spin_field_text("server", server), spin_field_text("for", link->kind->purpose),
                      spin_field_text("reason", text));
    }
    snprintf(link->reason, sizeof link->reason, "%s", text);
    link->kind->is_lost(link);
    free_requests(link);
}

void link_is_accepted(struct link *link) {
    lookup_end(link->lookup);
    link->lookup = NULL;
    link->state = LINK_IS_UP;
    link->due = INT64_MAX;
    link->up_since = link->active = spin_monotonic();
    link->reason[0] = 0;
    char server[server_name_size];
    server_name(&link->self->server, server);
    spin_log_with(NULL, SPIN_LOG_INFO, "connected to the server", spin_field_text("server", server),
                  spin_field_text("for", link->kind->purpose));
    instance_come(link->self, link->active + link_longest_silence(link));
    link->kind->is_up(link);
}

void link_part(struct link *link, const char *farewell) {
    if (!link->farewell)
        link->farewell = farewell;
}

// Handles the answers that are there; 0 if it must wait, or the connection is lost.
static int handle(struct link *link) {
    while (link->socket >= 0) {
        if (link->farewell && !link_asked(link)) {
            link_lose(link, link->farewell);
            return 0;
        }
        int found = link->has_reply ? 1 : reply_next(&link->reply);
        if (found <= 0) {
            if (found < 0)
                link_lose(link, link->reply.fault);
            return found == 0;
        }
        link->has_reply = 1;
        int is_handled = link->state == LINK_GREETS   ? greeting_answer(link)
                         : link->kind->can_read(link) ? link->kind->answer(link)
                                                      : 0;
        if (!is_handled)
            return 0;
        if (link->has_reply)
            reply_clear(&link->reply);
        link->has_reply = 0;
    }
    return 0;
}

static int is_open(struct link *link) {
    return link->state == LINK_GREETS || (link->state == LINK_IS_UP && link->kind->can_read(link));
}

void link_run(struct link *link) {
    // Bytes before a hang-up have an end. Otherwise a server that sends without one would hold up the others.
    int is_first = 1;
    while (is_open(link) && handle(link) && (is_first || link->is_hung) && socket_receive(link))
        is_first = 0;
    link_watch(link);
}

void link_watch(struct link *link) {
    uint32_t events = 0;
    if (link->state == LINK_CONNECTS)
        events = EPOLLOUT;
    else if (link->socket >= 0)
        events = (is_open(link) ? (uint32_t)EPOLLIN : 0) | (socket_has_unsent(link) ? (uint32_t)EPOLLOUT : 0);
    if (link->socket >= 0 && !socket_watch(link, events))
        link_lose(link, "the system cannot watch more sockets");
}

void link_event(struct link *link, uint32_t events) {
    if (link->state == LINK_CONNECTS) {
        connecting_event(link);
        return;
    }
    if (events & EPOLLOUT)
        link_write(link);
    if (link->socket >= 0 && events & (EPOLLHUP | EPOLLERR))
        socket_hang(link);
    if (link->socket >= 0)
        link_run(link);
}

static void add_ping(struct link *link) {
    struct request *request = request_make(REQUEST_PING, (const char *[]){"PING", NULL});
    if (request)
        link_add(link, request);
    else
        link_lose(link, "no memory");
}

// The server must not be silent while it is asked, and is asked when it is silent.
static void check_silence(struct link *link, int64_t now) {
    // While the loop has no room, the plugin is what is silent.
    if (link->is_hung || !link->kind->can_read(link))
        link->active = now;
    int64_t limit = link_longest_silence(link);
    if (now - link->active >= limit && link->first) {
        link_run(link); // Bytes that have come may not be read yet.
        if (link->state == LINK_IS_UP && now - link->active >= limit && link->first) {
            link_lose(link, "the server is silent (setting `answer_timeout`)");
            return;
        }
    } else if (now - link->active >= limit) {
        add_ping(link);
    }
    if (link->state == LINK_IS_UP)
        instance_come(link->self, link->active + link_longest_silence(link));
}

void link_check(struct link *link, int64_t now) {
    if (link->state == LINK_IS_UP)
        check_silence(link, now);
    else if (link->due <= now && link->state == LINK_GREETS)
        link_lose(link, "the server does not answer (setting `connect_timeout`)");
    else if (link->due <= now)
        connecting_check(link);
    instance_come(link->self, link->due);
}
