// The ends of connections and calls.
#include "websocket.h"
#include <stdarg.h>
#include <stdio.h>

/* How long a server may take to end a connection that is closed. */
static const spin_duration patience = 2000000000;

// Nobody sends on the connection any more.
static void close_outbox(struct websocket *websocket) {
    struct parcel *parcel = websocket->parcel;
    websocket->parcel = NULL;
    if (parcel)
        outbox_end(&websocket->outbox, parcel,
                   parcel->kind == MESSAGE_CLOSED ? NULL
                                                  : "the connection is closed before the message was sent");
    if (outbox_close(&websocket->outbox))
        websocket->is_left = 1;
}

void websocket_await_end(struct websocket *websocket) {
    struct request *request = &websocket->request;
    websocket->state = WEBSOCKET_CLOSING;
    request_wait_until(request, monotonic_now() + patience);
    upgrade_send(&websocket->upgrade);
}

void websocket_close(struct websocket *websocket, uint16_t code, const char *reason) {
    // Without memory for the frame, the connection is dropped later.
    frames_end(&websocket->frames, code, reason);
    websocket_await_end(websocket);
}

void websocket_answer_close(struct websocket *websocket) {
    close_outbox(websocket);
    websocket_await_end(websocket);
}

void websocket_drop(struct websocket *websocket) {
    transfer_remove(&websocket->request);
    upgrade_end(&websocket->upgrade);
    close_outbox(websocket);
    frames_close(&websocket->frames);
}

void websocket_end(struct websocket *websocket, const char *loss) {
    struct request *request = &websocket->request;
    struct frames *frames = &websocket->frames;
    int is_closed = frames->problem == FRAMES_CLOSED;
    snprintf(websocket->loss, sizeof websocket->loss, "%s", is_closed ? "" : loss);
    websocket_drop(websocket);
    request->has_ended = request->is_waiting = 0;
    request->due = INT64_MAX;
    websocket->state = WEBSOCKET_WAITING;
    if (!frames_note(frames, MESSAGE_CLOSED, is_closed ? frames->reason : loss))
        request_fail(request, CURLE_OUT_OF_MEMORY, "no memory");
}

// Lets the request linger until the server has ended the connection.
static void linger(struct websocket *websocket) {
    struct request *request = &websocket->request;
    request->lingers = 1;
    request->waits_for_room = 0;
    close_outbox(websocket);
    websocket_await_end(websocket);
}

void websocket_leave(struct request *request) {
    struct websocket *websocket = (struct websocket *)request;
    if (!request->is_added)
        return; // The connection has ended, and only the loop does not know.
    if (websocket->state == WEBSOCKET_OPEN)
        frames_end(&websocket->frames, WSLAY_CODE_NORMAL_CLOSURE, "");
    if (websocket->state == WEBSOCKET_OPEN || websocket->state == WEBSOCKET_CLOSING)
        linger(websocket);
}

void websocket_fail(struct websocket *websocket, int code, const char *format, ...) {
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    request_fail(&websocket->request, code, "%s", reason);
    websocket_leave(&websocket->request);
}
