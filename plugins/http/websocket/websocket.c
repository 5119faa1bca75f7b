// `websocket`: the messages of a server, whose connection is made again when it is lost.
#include "websocket.h"
#include "../reconnect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(opened, (spin_string, connection), (spin_string, protocol));
SPIN_EMITTER(text, (spin_string, connection), (spin_string, text));
SPIN_EMITTER(binary, (spin_string, connection), (spin_bytes, data));
SPIN_EMITTER(closed, (spin_string, connection), (int32_t, code), (spin_string, reason));

static const char no_close[] = "the server has ended the connection without closing the WebSocket";

static void no_memory(struct websocket *websocket) {
    websocket_fail(websocket, CURLE_OUT_OF_MEMORY, "no memory");
}

// MARK: What the loop gets

static spin_status emit_message(struct websocket *websocket, const struct message *message) {
    spin_call *call = websocket->request.call;
    spin_string name = {websocket->name, strlen(websocket->name)};
    size_t size = pieces_size(&message->bytes);
    const char *data = size > 0 ? message->bytes.data : "";
    spin_string words = {data, size};
    switch (message->kind) {
    case MESSAGE_OPENED:
        return spin_wait_opened(call, name, words, 0);
    case MESSAGE_TEXT:
        return spin_wait_text(call, name, words, 0);
    case MESSAGE_BINARY:
        return spin_wait_binary(call, name, (spin_bytes){(const uint8_t *)data, size}, 0);
    case MESSAGE_CLOSED:
        break;
    }
    return spin_wait_closed(call, name, websocket->code, words, 0);
}

// The loop knows that the connection has ended: finishes, or waits for the next one.
static void end_or_reconnect(struct websocket *websocket) {
    const char *loss = websocket->loss[0] ? websocket->loss : NULL;
    if (websocket->is_left)
        request_finish(&websocket->request);
    else
        reconnect_later(&websocket->request, USUAL_RETRY, websocket->failures, "a WebSocket is lost", loss);
}

// The server sends no more that counts.
static void serve_problem(struct websocket *websocket) {
    switch (websocket->frames.problem) {
    case FRAMES_FINE:
        break;
    case FRAMES_CLOSED:
        if (websocket->state == WEBSOCKET_OPEN)
            websocket_answer_close(websocket);
        break;
    case FRAMES_TOO_LARGE:
        websocket_fail(websocket, CURLE_FILESIZE_EXCEEDED,
                       "a message is larger than %lld bytes (setting `largest_body`)",
                       (long long)websocket->request.config->largest_body);
        break;
    case FRAMES_NOT_UTF8:
        websocket_fail(websocket, CURLE_BAD_CONTENT_ENCODING, "a text of the server is not UTF-8");
        break;
    case FRAMES_BROKEN:
        websocket_fail(websocket, CURLE_WEIRD_SERVER_REPLY, "the server has sent a frame that is not valid");
        break;
    case FRAMES_FLOOD:
        websocket_fail(websocket, CURLE_WEIRD_SERVER_REPLY, "the server sends pings and reads no answers");
        break;
    case FRAMES_NO_MEMORY:
        no_memory(websocket);
        break;
    }
}

static void emit(struct request *request) {
    struct websocket *websocket = (struct websocket *)request;
    for (struct message *message; !request->is_over;) {
        while ((message = frames_next(&websocket->frames))) {
            spin_status status = emit_message(websocket, message);
            if (!request_continues(request, status, pieces_size(&message->bytes))) {
                if (request->is_over)
                    websocket_leave(request);
                return;
            }
            int is_last = message->kind == MESSAGE_CLOSED;
            frames_drop(&websocket->frames);
            if (is_last) {
                end_or_reconnect(websocket);
                return;
            }
        }
        serve_problem(websocket);
        if (websocket->frames.context && !frames_are_given(&websocket->frames))
            upgrade_send(&websocket->upgrade); // answers to pings
        if (request->is_over || !request->has_ended)
            return;
        websocket_end(websocket, no_close);
    }
}

static void take(struct request *request, const char *data, size_t size) {
    struct websocket *websocket = (struct websocket *)request;
    if (frames_add(&websocket->frames, data, size))
        emit(request);
    else
        no_memory(websocket);
}

// MARK: Connections

static void header(struct request *request, spin_string name, spin_string value) {
    handshake_take(&((struct websocket *)request)->handshake, name, value);
}

static void begin(struct request *request) {
    struct websocket *websocket = (struct websocket *)request;
    const char *problem = handshake_problem(&websocket->handshake);
    if (request->status != 101) {
        request_fail(request, (int)request->status, "the server answers %ld%s", request->status,
                     request->phrase);
    } else if (problem) {
        request_fail(request, CURLE_WEIRD_SERVER_REPLY, "%s", problem);
    } else if (!frames_open(&websocket->frames, request->config->largest_body) ||
               !frames_note(&websocket->frames, MESSAGE_OPENED, websocket->handshake.protocol) ||
               !outbox_open(&websocket->outbox, request)) {
        no_memory(websocket);
    } else {
        strcpy(websocket->name, websocket->outbox.name);
        websocket->state = WEBSOCKET_OPEN;
        websocket->failures = 0;
        websocket->asked = 0;
        upgrade_begin(&websocket->upgrade);
        request->is_waiting = 1;
        request_set_due(request, request->heard + request->config->ping_interval);
        emit(request);
    }
}

static int lost(struct request *request, CURLcode code, const char *reason) {
    struct websocket *websocket = (struct websocket *)request;
    if (websocket->state != WEBSOCKET_CONNECTING) {
        // libcurl misses an answer when nothing has come after the head.
        websocket_end(websocket, code == CURLE_GOT_NOTHING ? no_close : reason);
        emit(request);
        return 1;
    }
    if (failure_is_final(code))
        return 0;
    websocket->state = WEBSOCKET_WAITING;
    reconnect_later(request, USUAL_RETRY, ++websocket->failures, "a WebSocket is lost", reason);
    return 1;
}

static void connect_again(struct websocket *websocket) {
    websocket->state = WEBSOCKET_CONNECTING;
    if (handshake_begin(&websocket->handshake, &websocket->request))
        transfer_restart(&websocket->request);
    else
        no_memory(websocket);
}

// Asks a server for a word that has been silent, and gives it up when it stays silent.
static void ask(struct websocket *websocket) {
    struct request *request = &websocket->request;
    int64_t now = monotonic_now(), interval = request->config->ping_interval;
    // While the loop has no room, no answer can be read.
    if (websocket->asked > request->heard && !request->waits_for_room) {
        char reason[128];
        snprintf(reason, sizeof reason,
                 "the server has not answered a ping within %g s (setting `ping_interval`)",
                 (double)interval / 1e9);
        websocket_end(websocket, reason);
        emit(request);
        return;
    }
    int is_silent = now >= request->heard + interval && !request->waits_for_room;
    if (is_silent && !frames_ping(&websocket->frames)) {
        no_memory(websocket);
        return;
    }
    websocket->asked = is_silent ? now : 0;
    request->is_waiting = 1;
    request_set_due(request, (is_silent || request->waits_for_room ? now : request->heard) + interval);
    if (is_silent)
        upgrade_send(&websocket->upgrade);
}

static void wake(struct request *request) {
    struct websocket *websocket = (struct websocket *)request;
    if (request->lingers) {
        request->lingers = 0;
    } else if (websocket->state == WEBSOCKET_WAITING) {
        connect_again(websocket);
    } else if (websocket->state == WEBSOCKET_OPEN) {
        ask(websocket);
    } else if (request->waits_for_room) {
        websocket_await_end(websocket); // Its end cannot be read yet.
    } else {
        websocket_end(websocket, "the server has not ended the connection that is closed");
        emit(request);
    }
}

static void send_more(struct request *request) { upgrade_send(&((struct websocket *)request)->upgrade); }

// MARK: The effect

static void end(struct request *request) { websocket_drop((struct websocket *)request); }

static void release(struct request *request) {
    struct websocket *websocket = (struct websocket *)request;
    frames_free(&websocket->frames);
    free(websocket->handshake.protocols);
}

static const struct request_kind kind = {.size = sizeof(struct websocket),
                                         .is_upgrade = 1,
                                         .begin = begin,
                                         .header = header,
                                         .take = take,
                                         .emit = emit,
                                         .lost = lost,
                                         .wake = wake,
                                         .send = send_more,
                                         .give = websocket_give,
                                         .leave = websocket_leave,
                                         .end = end,
                                         .release = release};

static void websocket(spin_call *call, spin_self *self, spin_string url, spin_list_string protocols,
                      spin_list_string headers) {
    static const spin_string get = {"GET", 3};
    struct reason why;
    char *address = handshake_url(url, &why);
    struct order order = {.method = get, .url = {address, address ? strlen(address) : 0}, .headers = headers};
    if (!address || !handshake_allows(&headers, &why)) {
        spin_fail(call, -CURLE_BAD_FUNCTION_ARGUMENT, why.text);
        free(address);
        return;
    }
    struct request *request = request_make(call, self, &kind, &order);
    free(address);
    if (!request)
        return;
    struct websocket *websocket = (struct websocket *)request;
    if (!handshake_set_protocols(&websocket->handshake, &protocols, &why)) {
        spin_fail(call, -CURLE_BAD_FUNCTION_ARGUMENT, why.text);
        request_drop(request);
    } else if (!upgrade_prepare(&websocket->upgrade, request) ||
               !handshake_begin(&websocket->handshake, request)) {
        spin_fail(call, -CURLE_OUT_OF_MEMORY, "no memory");
        request_drop(request);
    } else {
        request_start(request);
    }
}
SPIN_EFFECT(void, websocket,
            (spin_call *call, spin_self *self, spin_string url, spin_list_string protocols,
             spin_list_string headers),
            "Opens a WebSocket at a `ws` or `wss` URL: emits `opened`, `text` and `binary` for each message, and "
            "`closed`. Connects again when the connection has ended. Waits while the loop has no room.");
