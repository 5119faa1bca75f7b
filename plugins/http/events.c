// `events`: server-sent events, whose connection is made again when it is lost.
#include "instance.h"
#include "reconnect.h"
#include "sse.h"
#include "transfer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

SPIN_EMITTER(message, (spin_string, name), (spin_string, data), (spin_string, id));

/* A server may not name a shorter time until the next connection, in milliseconds. */
enum { shortest_retry = 100 };

struct events {
    struct request request;
    struct sse sse;
    struct sse_message message; /* the one that waits for room */
    int has_message;
    int is_stream; /* the type of the answer is that of events */
    int failures;  /* how many connections have failed, one after the other */
    char key[SPIN_RUN_KEY_SIZE];
};

static spin_string text(const struct pieces *pieces) {
    return (spin_string){pieces->data ? pieces->data : "", pieces_size(pieces)};
}

static void no_memory(struct events *events) {
    request_fail(&events->request, CURLE_OUT_OF_MEMORY, "no memory");
}

// MARK: Connections

static void header(struct request *request, spin_string name, spin_string value) {
    static const char type[] = "text/event-stream";
    struct events *events = (struct events *)request;
    size_t size = sizeof type - 1;
    if (name.size == 0)
        events->is_stream = 0;
    else if (name.size == 12 && strncasecmp(name.data, "Content-Type", name.size) == 0)
        events->is_stream = value.size >= size && strncasecmp(value.data, type, size) == 0 &&
                            (value.size == size || value.data[size] == ';' || value.data[size] == ' ');
}

static void begin(struct request *request) {
    struct events *events = (struct events *)request;
    if (request->status != 200) {
        request_fail(request, (int)request->status, "the server answers %ld%s%s", request->status,
                     request->phrase, request->status == 204 ? ": it has no more events" : "");
    } else if (!events->is_stream) {
        request_fail(request, CURLE_WEIRD_SERVER_REPLY, "the type of the answer is not `text/event-stream`");
    }
    events->failures = 0;
}

// Waits, and makes the next connection then.
static int reconnect(struct events *events, const char *reason) {
    int64_t retry = events->sse.retry < 0                ? USUAL_RETRY
                    : events->sse.retry < shortest_retry ? shortest_retry
                                                         : events->sse.retry;
    reconnect_later(&events->request, retry, events->failures, "a stream of events is lost", reason);
    return sse_restart(&events->sse);
}

static int lost(struct request *request, CURLcode code, const char *reason) {
    if (failure_is_final(code))
        return 0;
    ((struct events *)request)->failures++;
    return reconnect((struct events *)request, reason);
}

// Asks for what comes after the last message; 0 for want of memory.
static int ask(struct events *events) {
    static const char name[] = "Last-Event-ID: ";
    spin_string id = text(&events->sse.last_id);
    char header[sizeof name + LONGEST_ID];
    snprintf(header, sizeof header, "%s%.*s", name, (int)id.size, id.data);
    return id.size == 0 || transfer_set_header(&events->request, header);
}

static void wake(struct request *request) {
    if (ask((struct events *)request))
        transfer_restart(request);
    else
        no_memory((struct events *)request);
}

// MARK: Messages

static void too_large(struct events *events) {
    request_fail(&events->request, CURLE_FILESIZE_EXCEEDED,
                 "an event is larger than %lld bytes (setting `largest_body`)",
                 (long long)events->request.config->largest_body);
}

static int next(struct events *events) {
    if (events->has_message)
        return 1;
    enum piece_found found = sse_next(&events->sse, &events->message);
    if (found == PIECE_NO_MEMORY)
        no_memory(events);
    else if (pieces_size(&events->sse.id) > LONGEST_ID)
        request_fail(&events->request, CURLE_FILESIZE_EXCEEDED, "an id is longer than %d bytes", LONGEST_ID);
    else if (found == PIECE_FOUND &&
             (long long)events->message.data.size > events->request.config->largest_body)
        too_large(events);
    events->has_message = found == PIECE_FOUND && !events->request.is_over;
    return events->has_message;
}

static void emit(struct request *request) {
    struct events *events = (struct events *)request;
    while (next(events)) {
        spin_string id = text(&events->sse.id);
        spin_status status =
            spin_wait_message(request->call, events->message.name, events->message.data, id, 0);
        if (!request_continues(request, status, events->message.data.size))
            return;
        events->has_message = 0;
        if (!sse_taken(&events->sse))
            no_memory(events);
    }
    if (request->has_ended && !request->is_over && !reconnect(events, NULL))
        no_memory(events);
}

static void take(struct request *request, const char *data, size_t size) {
    struct events *events = (struct events *)request;
    long long limit = request->config->largest_body;
    if (!sse_add(&events->sse, data, size))
        no_memory(events);
    else
        emit(request);
    if (!request->is_over && !request->waits_for_room && (long long)sse_size(&events->sse) > limit)
        too_large(events);
}

// MARK: The effect

static void end(struct request *request) {
    struct events *events = (struct events *)request;
    size_t size = pieces_size(&events->sse.last_id);
    if (events->key[0] && size > 0 && size <= LONGEST_ID)
        places_keep(&request->self->places, events->key, text(&events->sse.last_id));
}

static void release(struct request *request) { sse_free(&((struct events *)request)->sse); }

static const struct request_kind kind = {.size = sizeof(struct events),
                                         .begin = begin,
                                         .header = header,
                                         .take = take,
                                         .emit = emit,
                                         .lost = lost,
                                         .wake = wake,
                                         .end = end,
                                         .release = release};

// Continues where an earlier call of the same run has ended; 0 for want of memory.
static int find_place(struct events *events) {
    if (spin_run_key(events->request.call, events->key, sizeof events->key) != SPIN_OK) {
        events->key[0] = 0;
        return 1;
    }
    char *id = places_take(&events->request.self->places, events->key);
    int is_done = !id || (pieces_add(&events->sse.id, id, strlen(id)) && sse_taken(&events->sse));
    free(id);
    return is_done && ask(events);
}

static void events(spin_call *call, spin_self *self, spin_string url, spin_list_string headers) {
    static const spin_string get = {"GET", 3};
    struct order order = {.method = get, .url = url, .headers = headers};
    struct request *request = request_make(call, self, &kind, &order);
    if (!request)
        return;
    struct events *events = (struct events *)request;
    events->sse.pieces.has_lone_returns = 1;
    events->sse.retry = -1;
    if (transfer_set_header(request, "Accept: text/event-stream") &&
        transfer_set_header(request, "Cache-Control: no-store") && find_place(events)) {
        request_start(request);
    } else {
        spin_fail(call, -CURLE_OUT_OF_MEMORY, "no memory");
        request_drop(request);
    }
}
SPIN_EFFECT(void, events, (spin_call *call, spin_self *self, spin_string url, spin_list_string headers),
            "Listens to server-sent events: emits `message` for each of them, and connects again when the "
            "connection is lost. Waits while the loop has no room.");
