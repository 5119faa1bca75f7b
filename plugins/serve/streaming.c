// The effects of answers whose bodies come in parts.
#include "exchanges.h"
#include "response.h"
#include "stream.h"
#include <stdlib.h>
#include <sys/epoll.h>

static void cancel(void *context) {
    struct stream *stream = context;
    spin_self *self = stream->self;
    pthread_mutex_lock(&self->turn);
    if (!stream->is_finished)
        stream_cut(stream, "cancelled");
    stream_drop(stream);
    pthread_mutex_unlock(&self->turn);
}

// Makes a stream, which the call holds, and whose response is the caller's. NULL after spin_fail.
static struct stream *make(spin_call *call, spin_self *self, int32_t status, spin_list_string headers,
                           struct MHD_Response **response) {
    char reason[most_reason];
    struct stream *made = calloc(1, sizeof *made);
    struct ending *opening = calloc(1, sizeof *opening);
    if (!made || !opening) {
        free(made);
        free(opening);
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return NULL;
    }
    *opening = (struct ending){.call = call, .stream = made};
    *made = (struct stream){.self = self, .holders = 2, .opening = opening};
    pthread_mutex_lock(&self->turn);
    self->call_count++;
    pthread_mutex_unlock(&self->turn);
    *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 32768, stream_read, made, stream_free);
    int is_made = *response != NULL;
    if ((*response = response_with(*response, status, 1, headers, reason)))
        return made;
    if (!is_made)
        stream_free(made);
    stream_free(made);
    spin_fail(call, SPIN_BAD_VALUE, reason);
    return NULL;
}

// Has the request that waits begin its answer; the caller holds `turn`.
static void begin(struct exchange *exchange, struct stream *stream, int32_t status,
                  struct MHD_Response *response) {
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.u64 = exchange->number};
    stream->socket =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    stream->exchange = exchange;
    exchange->stream = stream;
    // Without memory for this, the end of a client is noticed with the next part.
    epoll_ctl(stream->self->leaving, EPOLL_CTL_ADD, stream->socket, &event);
    exchange_answer(exchange, (unsigned)status, response);
}

static void stream(spin_call *call, spin_self *self, spin_string id, int32_t status,
                   spin_list_string headers) {
    struct MHD_Response *response;
    struct stream *made = make(call, self, status, headers, &response);
    if (!made)
        return;
    if (spin_on_cancel(call, cancel, made) != SPIN_OK) { // The call is over.
        stream_free(made);
        MHD_destroy_response(response);
        return;
    }
    pthread_mutex_lock(&self->turn);
    struct exchange *exchange = exchanges_waiting(self, id);
    if (exchange)
        begin(exchange, made, status, response);
    pthread_mutex_unlock(&self->turn);
    if (exchange)
        return;
    if (spin_fail(call, SPIN_FAILED, no_such_request) == SPIN_OK)
        stream_free(made);
    MHD_destroy_response(response);
}
SPIN_EFFECT(void, stream,
            (spin_call *call, spin_self *self, spin_string id, int32_t status, spin_list_string headers),
            "Begins an answer whose body comes in parts. Emits `ended` at its end. A cancellation cuts it.");

// Ends a call that sends parts.
static void end(spin_call *call, int has_begun) {
    if (has_begun)
        spin_finish(call);
    else
        spin_fail(call, SPIN_FAILED, "the answer has not begun");
}

static void push(spin_call *call, spin_self *self, spin_list_string ids, spin_bytes part) {
    int have_begun = 1;
    pthread_mutex_lock(&self->turn);
    for (size_t i = 0; i < ids.count; i++) {
        struct exchange *found = exchanges_streaming(self, ids.items[i]);
        if (found)
            stream_add(found->stream, part);
        else if (exchanges_waiting(self, ids.items[i]))
            have_begun = 0;
    }
    pthread_mutex_unlock(&self->turn);
    end(call, have_begun);
}
SPIN_EFFECT(void, push, (spin_call *call, spin_self *self, spin_list_string ids, spin_bytes part),
            "Sends a part to each of these answers that has not ended. It emits nothing.");

static void finish(spin_call *call, spin_self *self, spin_list_string ids) {
    int have_begun = 1;
    pthread_mutex_lock(&self->turn);
    for (size_t i = 0; i < ids.count; i++) {
        struct exchange *found = exchanges_streaming(self, ids.items[i]);
        if (found)
            stream_finish(found->stream);
        else if (exchanges_waiting(self, ids.items[i]))
            have_begun = 0;
    }
    pthread_mutex_unlock(&self->turn);
    end(call, have_begun);
}
SPIN_EFFECT(void, finish, (spin_call *call, spin_self *self, spin_list_string ids),
            "Ends these answers behind their last parts. It emits nothing.");

static void deliver(spin_call *call, spin_self *self, spin_string id, spin_bytes part) {
    struct ending *ending = calloc(1, sizeof *ending);
    if (!ending) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return;
    }
    ending->call = call;
    pthread_mutex_lock(&self->turn);
    struct exchange *found = exchanges_streaming(self, id);
    int has_begun = found || !exchanges_waiting(self, id);
    if (found)
        stream_deliver(found->stream, part, ending);
    pthread_mutex_unlock(&self->turn);
    if (found)
        return;
    free(ending);
    end(call, has_begun);
}
SPIN_EFFECT(void, deliver, (spin_call *call, spin_self *self, spin_string id, spin_bytes part),
            "Sends a part to an answer. Emits `delivered` when the client has room for the next one.");
