// `websocket`: the messages of a server, whose connection is made again when it is lost.
#include "websocket.h"
#include "../reconnect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void no_memory(struct websocket *websocket) {
    websocket_fail(websocket, CURLE_OUT_OF_MEMORY, "no memory");
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
        websocket->asked = websocket->asks = websocket->held = 0;
        upgrade_begin(&websocket->upgrade);
        request_wait_until(request, request->heard + request->config->ping_interval);
        websocket_emit(request);
    }
}

static int lost(struct request *request, CURLcode code, const char *reason) {
    struct websocket *websocket = (struct websocket *)request;
    if (websocket->state != WEBSOCKET_CONNECTING) {
        // libcurl misses an answer when nothing has come after the head.
        websocket_end(websocket, code == CURLE_GOT_NOTHING ? websocket_no_close : reason);
        websocket_emit(request);
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

void websocket_ask(struct websocket *websocket) {
    struct request *request = &websocket->request;
    int64_t now = monotonic_now(), interval = request->config->ping_interval;
    int is_silent = now >= request->heard + interval, held = upgrade_held(&websocket->upgrade);
    int is_due = websocket->asked > request->heard; // The last ping has no answer yet.
    int takes = websocket->held == 0 ? held > 0 : held < websocket->held;
    if (request->waits_for_room) {
        // No answer can be read.
        websocket->asked = 0;
        request_wait_until(request, now + interval);
    } else if (is_due && now < websocket->asked + interval) {
        request_wait_until(request, websocket->asked + interval);
    } else if (is_due && takes) {
        // The ping may still wait in the system, behind bytes that the server takes.
        websocket->held = held;
        websocket->asked = now;
        request_wait_until(request, now + interval);
    } else if (is_due) {
        char reason[128];
        snprintf(reason, sizeof reason,
                 "the server has not answered a ping within %g s (setting `ping_interval`)",
                 (double)interval / 1e9);
        websocket_end(websocket, reason);
        websocket_emit(request);
    } else if (!is_silent) {
        request_wait_until(request, request->heard + interval);
    } else if (!websocket->asks && !frames_ping(&websocket->frames)) {
        no_memory(websocket);
    } else {
        websocket->asks = 1;
        websocket->held = 0;
        websocket->asked = now;
        request_wait_until(request, now + interval);
        upgrade_send(&websocket->upgrade);
    }
}

static void wake(struct request *request) {
    struct websocket *websocket = (struct websocket *)request;
    if (request->lingers) {
        request->lingers = 0;
    } else if (websocket->state == WEBSOCKET_WAITING) {
        connect_again(websocket);
    } else if (websocket->state == WEBSOCKET_OPEN) {
        websocket_ask(websocket);
    } else if (request->waits_for_room) {
        websocket_await_end(websocket); // Its end cannot be read yet.
    } else {
        websocket_end(websocket, "the server has not ended the closed connection within 2 s");
        websocket_emit(request);
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
                                         .take = websocket_take,
                                         .emit = websocket_emit,
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
        spin_fail(call, -why.code, why.text);
        free(address);
        return;
    }
    struct request *request = request_make(call, self, &kind, &order);
    free(address);
    if (!request)
        return;
    struct websocket *websocket = (struct websocket *)request;
    if (!handshake_set_protocols(&websocket->handshake, &protocols, &why)) {
        spin_fail(call, -why.code, why.text);
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
