#include "exchange.h"
#include "connection.h"
#include "exchanges.h"
#include "files.h"
#include "head.h"
#include "response.h"
#include "stream.h"
#include <stdlib.h>
#include <string.h>

void exchange_answer(struct exchange *exchange, unsigned status, struct MHD_Response *response) {
    exchanges_end_wait(exchange);
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
        struct MHD_Response *response = response_text(all ? "the server ends\n" : "there is no answer\n");
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
        return response_refuse(connection, status, reason);
    // A client that asks first sends no body that is refused. Another one hears of it when its body is there.
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t size = length ? strtoull(length, NULL, 10) : 0;
    if (size > most_dropped ||
        (size > (uint64_t)self->config->largest_body &&
         MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_EXPECT)))
        return response_refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large\n");
    return MHD_YES;
}

// The request is whole: a file, or the loop, answers it.
static enum MHD_Result wait(struct exchange *exchange) {
    spin_self *self = exchange->self;
    if (exchange->is_too_large)
        return response_refuse(exchange->connection, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large\n");
    enum MHD_Result result;
    if (self->folder >= 0 && files_answer(exchange, &result))
        return result;
    exchange->due = monotonic_now() + self->config->answer_timeout;
    pthread_mutex_lock(&self->turn);
    int waits = self->is_open && self->waiting < self->config->most_waiting;
    if (waits) {
        exchanges_add(exchange);
        MHD_suspend_connection(exchange->connection);
    }
    pthread_mutex_unlock(&self->turn);
    return waits
               ? MHD_YES
               : response_refuse(exchange->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "the server is busy\n");
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
    exchanges_remove(exchange);
    if (exchange->stream)
        stream_over(exchange, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    self->exchanges--;
    pthread_mutex_unlock(&self->turn);
    if (exchange->response)
        MHD_destroy_response(exchange->response);
    free(exchange->body);
    free(exchange);
}
