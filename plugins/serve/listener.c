#include "listener.h"
#include "../std/utf8.h"
#include "exchange.h"
#include "exchanges.h"
#include "response.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(request, (spin_string, id), (spin_string, method), (spin_string, path),
             (spin_list_serve_field, query), (spin_list_serve_field, headers), (spin_bytes, body),
             (spin_string, client));

// The caller holds `turn`.
static void drop(struct listener *listener) {
    if (--listener->holders > 0)
        return;
    spin_self *self = listener->self;
    free(listener);
    self->call_count--;
    pthread_cond_broadcast(&self->changed);
}

static void unlink_over(spin_self *self) {
    struct listener **link = &self->listeners;
    for (struct listener *listener; (listener = *link);) {
        if (!listener->is_over) {
            link = &listener->next;
            continue;
        }
        *link = listener->next;
        drop(listener);
    }
    self->last_listener = link;
}

static void cancel(void *context) {
    struct listener *listener = context;
    spin_self *self = listener->self;
    pthread_mutex_lock(&self->turn);
    listener->is_over = 1;
    drop(listener);
    pthread_mutex_unlock(&self->turn);
}

static void has_room(void *context) {
    struct listener *listener = context;
    spin_self *self = listener->self;
    pthread_mutex_lock(&self->turn);
    listener->waits_for_room = 0;
    server_ring(self);
    drop(listener);
    pthread_mutex_unlock(&self->turn);
}

static void requests(spin_call *call, spin_self *self) {
    struct listener *listener = calloc(1, sizeof *listener);
    if (!listener) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return;
    }
    *listener = (struct listener){.self = self, .call = call, .holders = 2};
    pthread_mutex_lock(&self->turn);
    self->call_count++;
    pthread_mutex_unlock(&self->turn);
    int is_heard = spin_on_cancel(call, cancel, listener) == SPIN_OK;
    pthread_mutex_lock(&self->turn);
    if (is_heard) {
        *self->last_listener = listener;
        self->last_listener = &listener->next;
    } else { // The call is over.
        listener->holders = 1;
        drop(listener);
    }
    pthread_mutex_unlock(&self->turn);
    server_wake(self);
}
SPIN_EFFECT(void, requests, (spin_call *call, spin_self *self),
            "Emits `request` for each request that no file answers, until it is cancelled.");

/* Texts of a client may have any bytes, and an emission is UTF-8. */
struct copies {
    serve_field *fields;
    size_t count, capacity;
    char **texts;
    size_t text_count;
    int has_failed;
};

// Memory for so many bytes; NULL without memory.
static char *reserve(struct copies *copies, size_t size) {
    char **texts = realloc(copies->texts, (copies->text_count + 1) * sizeof *texts);
    if (texts)
        copies->texts = texts;
    char *copy = texts ? malloc(size + 1) : NULL;
    if (copy)
        copies->texts[copies->text_count++] = copy;
    else
        copies->has_failed = 1;
    return copy;
}

static spin_string repaired(struct copies *copies, const char *text, size_t size) {
    if (utf8_valid(text, size) == size)
        return (spin_string){text, size};
    char *copy = reserve(copies, size * UTF8_REPAIRED_GROWTH);
    return copy ? (spin_string){copy, utf8_repair(text, size, copy)} : (spin_string){"", 0};
}

// The name of a header, which means the same in small and in capital letters.
static spin_string lowered(struct copies *copies, const char *text, size_t size) {
    spin_string name = repaired(copies, text, size);
    char *copy = reserve(copies, name.size);
    for (size_t i = 0; copy && i < name.size; i++)
        copy[i] = name.data[i] >= 'A' && name.data[i] <= 'Z' ? (char)(name.data[i] + 32) : name.data[i];
    return copy ? (spin_string){copy, name.size} : name;
}

static enum MHD_Result take_field(void *context, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size) {
    struct copies *copies = context;
    if (copies->count == copies->capacity) {
        size_t capacity = copies->capacity ? copies->capacity * 2 : 16;
        serve_field *fields = realloc(copies->fields, capacity * sizeof *fields);
        if (!fields) {
            copies->has_failed = 1;
            return MHD_NO;
        }
        copies->fields = fields;
        copies->capacity = capacity;
    }
    // Libmicrohttpd keeps the spaces after the value of a header, which are no part of it.
    while (kind == MHD_HEADER_KIND && value_size > 0 &&
           (value[value_size - 1] == ' ' || value[value_size - 1] == '\t'))
        value_size--;
    copies->fields[copies->count].name =
        kind == MHD_HEADER_KIND ? lowered(copies, name, name_size) : repaired(copies, name, name_size);
    copies->fields[copies->count++].value =
        value ? repaired(copies, value, value_size) : (spin_string){"", 0};
    return MHD_YES;
}

static void client_name(struct MHD_Connection *connection, char *name, size_t size) {
    *name = 0;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info ? info->client_addr : NULL;
    if (address && address->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, name, (socklen_t)size);
    else if (address && address->sa_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
        // A socket for all addresses has those of IPv4 in the end of one.
        if (IN6_IS_ADDR_V4MAPPED(six))
            inet_ntop(AF_INET, six->s6_addr + 12, name, (socklen_t)size);
        else
            inet_ntop(AF_INET6, six, name, (socklen_t)size);
    }
}

// Emits a request, which cannot end meanwhile: only this thread ends it.
static spin_status emit(spin_call *call, const struct exchange *exchange) {
    struct copies copies = {0};
    char name[exchange_name_size], client[INET6_ADDRSTRLEN];
    exchange_name(exchange, name);
    client_name(exchange->connection, client, sizeof client);
    MHD_get_connection_values_n(exchange->connection, MHD_GET_ARGUMENT_KIND, take_field, &copies);
    size_t queries = copies.count;
    MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, take_field, &copies);
    spin_string path = repaired(&copies, exchange->path, strlen(exchange->path));
    spin_status status = SPIN_NO_MEMORY;
    if (!copies.has_failed)
        status = spin_wait_request(
            call, (spin_string){name, strlen(name)},
            (spin_string){exchange->method, strlen(exchange->method)}, path,
            (spin_list_serve_field){copies.fields, queries},
            (spin_list_serve_field){copies.fields + queries, copies.count - queries},
            (spin_bytes){(const uint8_t *)(exchange->body ? exchange->body : ""), exchange->size},
            (spin_string){client, strlen(client)}, 0);
    for (size_t i = 0; i < copies.text_count; i++)
        free(copies.texts[i]);
    free(copies.texts);
    free(copies.fields);
    return status;
}

// Asks the host to say when the mailbox has room.
static spin_status wait_for_room(struct listener *listener) {
    spin_self *self = listener->self;
    pthread_mutex_lock(&self->turn);
    listener->waits_for_room = 1;
    listener->holders++;
    pthread_mutex_unlock(&self->turn);
    spin_status status = spin_on_room(listener->call, has_room, listener);
    if (status == SPIN_OK)
        return SPIN_FULL;
    pthread_mutex_lock(&self->turn);
    listener->waits_for_room = 0;
    drop(listener);
    pthread_mutex_unlock(&self->turn);
    return status;
}

// The first request that was not told of, and the first call that may hear of it. Both are NULL otherwise.
static struct exchange *next(spin_self *self, struct listener **listener) {
    pthread_mutex_lock(&self->turn);
    unlink_over(self);
    struct exchange *exchange = self->untold;
    for (*listener = self->listeners; *listener && (*listener)->waits_for_room;)
        *listener = (*listener)->next;
    if (exchange && *listener)
        self->untold = exchange->next;
    else
        exchange = NULL;
    pthread_mutex_unlock(&self->turn);
    return exchange;
}

// The loop was not told of a request after all. It is the first one again, unless somebody has guessed its name.
static void put_back(struct exchange *exchange) {
    spin_self *self = exchange->self;
    pthread_mutex_lock(&self->turn);
    if (exchange->state == EXCHANGE_WAITING)
        self->untold = exchange;
    pthread_mutex_unlock(&self->turn);
}

// The host has reported why the manifest can make no event of a request.
static void answer_fault(struct exchange *exchange) {
    struct MHD_Response *response = response_text("the server cannot take this request\n");
    pthread_mutex_lock(&exchange->self->turn);
    int waits = exchange->state == EXCHANGE_WAITING;
    if (waits)
        exchange_answer(exchange, MHD_HTTP_INTERNAL_SERVER_ERROR, response);
    pthread_mutex_unlock(&exchange->self->turn);
    if (!waits && response)
        MHD_destroy_response(response);
}

void listeners_tell(spin_self *self) {
    struct listener *listener;
    for (struct exchange *exchange; (exchange = next(self, &listener));) {
        spin_status status = emit(listener->call, exchange);
        if (status == SPIN_OK)
            continue;
        if (status == SPIN_FULL)
            status = wait_for_room(listener);
        if (status == SPIN_FULL) {
            put_back(exchange);
        } else if (status == SPIN_CANCELLED || status == SPIN_STOPPED) {
            put_back(exchange);
            pthread_mutex_lock(&self->turn);
            listener->is_over = 1;
            pthread_mutex_unlock(&self->turn);
        } else {
            answer_fault(exchange);
        }
    }
}

void listeners_end(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    for (struct listener *listener = self->listeners; listener; listener = listener->next)
        listener->is_over = 1;
    unlink_over(self);
    pthread_mutex_unlock(&self->turn);
}
