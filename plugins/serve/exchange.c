#include "exchange.h"
#include "connection.h"
#include "files.h"
#include "head.h"
#include "stream.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char no_such_request[] =
    "no such request waits: it was answered, has waited too long, or came to another instance";

void exchange_name(const struct exchange *exchange, char *name) {
    snprintf(name, exchange_name_size, "%s-%" PRIu64, exchange->self->nonce, exchange->number);
}

struct MHD_Response *exchange_text(const char *text) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (response)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
    return response;
}

static ssize_t read_nothing(void *context, uint64_t position, char *data, size_t size) {
    (void)context, (void)position, (void)data, (void)size;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

struct MHD_Response *exchange_not_modified(void) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL);
}

enum MHD_Result exchange_refuse(struct MHD_Connection *connection, unsigned status, const char *reason) {
    struct MHD_Response *response = exchange_text(reason);
    if (!response)
        return MHD_NO;
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    if (status == MHD_HTTP_BAD_REQUEST)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static struct exchange **bucket(spin_self *self, uint64_t number) {
    return &self->buckets[number & (exchange_buckets - 1)];
}

static void add(struct exchange *exchange) {
    spin_self *self = exchange->self;
    exchange->state = EXCHANGE_WAITING;
    exchange->previous = self->last_waiting;
    if (self->last_waiting)
        self->last_waiting->next = exchange;
    else
        self->first = exchange;
    self->last_waiting = exchange;
    if (!self->untold)
        self->untold = exchange;
    self->waiting++;
    struct exchange **head = bucket(self, exchange->number);
    exchange->next_in_bucket = *head;
    *head = exchange;
}

static void remove_waiting(struct exchange *exchange) {
    spin_self *self = exchange->self;
    if (self->untold == exchange)
        self->untold = exchange->next;
    if (exchange->previous)
        exchange->previous->next = exchange->next;
    else
        self->first = exchange->next;
    if (exchange->next)
        exchange->next->previous = exchange->previous;
    else
        self->last_waiting = exchange->previous;
    self->waiting--;
}

static void remove_from_bucket(struct exchange *exchange) {
    struct exchange **link = bucket(exchange->self, exchange->number);
    while (*link != exchange)
        link = &(*link)->next_in_bucket;
    *link = exchange->next_in_bucket;
}

static struct exchange *find_numbered(spin_self *self, uint64_t number) {
    struct exchange *found = *bucket(self, number);
    while (found && found->number != number)
        found = found->next_in_bucket;
    return found;
}

static struct exchange *find(spin_self *self, spin_string name) {
    size_t nonce = strlen(self->nonce);
    if (name.size <= nonce + 1 || memcmp(name.data, self->nonce, nonce) != 0 || name.data[nonce] != '-')
        return NULL;
    char *end;
    uint64_t number = strtoull(name.data + nonce + 1, &end, 10);
    if (end != name.data + name.size)
        return NULL;
    return find_numbered(self, number);
}

struct exchange *exchange_waiting(spin_self *self, spin_string name) {
    struct exchange *found = find(self, name);
    return found && !found->stream ? found : NULL;
}

struct exchange *exchange_streaming(spin_self *self, spin_string name) {
    struct exchange *found = find(self, name);
    return found && found->stream ? found : NULL;
}

struct exchange *exchange_stream_numbered(spin_self *self, uint64_t number) {
    struct exchange *found = find_numbered(self, number);
    return found && found->stream ? found : NULL;
}

void exchange_answer(struct exchange *exchange, unsigned status, struct MHD_Response *response) {
    remove_waiting(exchange);
    if (!exchange->stream)
        remove_from_bucket(exchange);
    exchange->state = EXCHANGE_ANSWERED;
    exchange->status = status;
    exchange->response = response;
    MHD_resume_connection(exchange->connection);
    server_ring(exchange->self);
}

int64_t exchange_expire(spin_self *self, int all) {
    int64_t now = monotonic_now(), due = INT64_MAX;
    pthread_mutex_lock(&self->turn);
    while (self->first && (all || self->first->due <= now)) {
        struct MHD_Response *response = exchange_text(all ? "the server ends\n" : "there is no answer\n");
        if (response)
            MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
        // Without memory the connection is closed.
        exchange_answer(self->first, MHD_HTTP_SERVICE_UNAVAILABLE, response);
    }
    if (self->first)
        due = self->first->due;
    pthread_mutex_unlock(&self->turn);
    return due;
}

/* The bytes that it reads for the sake of an answer, from a client that sends too much. */
enum { most_dropped = 64 << 20 };

// Takes a part of the body; 0 to close the connection.
static int add_body(struct exchange *exchange, const char *data, size_t size) {
    if (exchange->size + size > (size_t)exchange->self->config->largest_body)
        exchange->is_too_large = 1;
    if (exchange->is_too_large)
        return (exchange->dropped += size) <= most_dropped;
    if (exchange->size + size > exchange->capacity) {
        size_t capacity = (exchange->size + size) * 2;
        if (capacity > (size_t)exchange->self->config->largest_body)
            capacity = (size_t)exchange->self->config->largest_body;
        char *body = realloc(exchange->body, capacity);
        if (!body)
            return 0;
        exchange->body = body;
        exchange->capacity = capacity;
    }
    memcpy(exchange->body + exchange->size, data, size);
    exchange->size += size;
    return 1;
}

static enum MHD_Result begin(spin_self *self, struct MHD_Connection *connection, const char *path,
                             const char *method, void **own) {
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange)
        return MHD_NO;
    exchange->self = self;
    exchange->connection = connection;
    exchange->path = head_path(path);
    exchange->method = method;
    pthread_mutex_lock(&self->turn);
    exchange->number = ++self->last;
    self->exchanges++;
    pthread_mutex_unlock(&self->turn);
    *own = exchange;
    const char *reason;
    unsigned status = head_check(connection, path, method, &reason);
    if (status)
        return exchange_refuse(connection, status, reason);
    // A client that asks first sends no body that is refused. Another one hears of it when its body is there.
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t size = length ? strtoull(length, NULL, 10) : 0;
    if (size > most_dropped ||
        (size > (uint64_t)self->config->largest_body &&
         MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_EXPECT)))
        return exchange_refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large\n");
    return MHD_YES;
}

// The request is whole: a file, or the loop, answers it.
static enum MHD_Result wait(struct exchange *exchange) {
    spin_self *self = exchange->self;
    if (exchange->is_too_large)
        return exchange_refuse(exchange->connection, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large\n");
    enum MHD_Result result;
    if (self->folder >= 0 && files_answer(exchange, &result))
        return result;
    exchange->due = monotonic_now() + self->config->answer_timeout;
    pthread_mutex_lock(&self->turn);
    int waits = self->is_open && self->waiting < self->config->most_waiting;
    if (waits) {
        add(exchange);
        MHD_suspend_connection(exchange->connection);
    }
    pthread_mutex_unlock(&self->turn);
    return waits
               ? MHD_YES
               : exchange_refuse(exchange->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "the server is busy\n");
}

enum MHD_Result exchange_handle(void *context, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *data, size_t *size,
                                void **own) {
    (void)version;
    struct exchange *exchange = *own;
    if (!exchange) {
        connection_begins(context, connection);
        return begin(context, connection, path, method, own);
    }
    if (*size > 0) {
        int is_taken = add_body(exchange, data, *size);
        *size = 0;
        return is_taken ? MHD_YES : MHD_NO;
    }
    if (exchange->state == EXCHANGE_READING) {
        connection_is_whole(context, connection);
        return wait(exchange);
    }
    return exchange->response ? MHD_queue_response(connection, exchange->status, exchange->response) : MHD_NO;
}

void exchange_over(void *context, struct MHD_Connection *connection, void **own,
                   enum MHD_RequestTerminationCode code) {
    (void)context;
    struct exchange *exchange = *own;
    if (!exchange)
        return;
    spin_self *self = exchange->self;
    connection_is_over(self, connection);
    pthread_mutex_lock(&self->turn);
    if (exchange->state == EXCHANGE_WAITING)
        remove_waiting(exchange);
    if (exchange->state == EXCHANGE_WAITING || exchange->stream)
        remove_from_bucket(exchange);
    if (exchange->stream)
        stream_over(exchange, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    self->exchanges--;
    pthread_mutex_unlock(&self->turn);
    if (exchange->response)
        MHD_destroy_response(exchange->response);
    free(exchange->body);
    free(exchange);
}
