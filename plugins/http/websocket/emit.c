// What the loop gets of a WebSocket.
#include "websocket.h"
#include "../reconnect.h"
#include <string.h>

SPIN_EMITTER(opened, (spin_string, connection), (spin_string, protocol));
SPIN_EMITTER(text, (spin_string, connection), (spin_string, text));
SPIN_EMITTER(binary, (spin_string, connection), (spin_bytes, data));
SPIN_EMITTER(closed, (spin_string, connection), (int32_t, code), (spin_string, reason));

const char websocket_no_close[] = "the server has ended the connection without closing the WebSocket";

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
    return spin_wait_closed(call, name, websocket->frames.code, words, 0);
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
    case FRAMES_NO_MEMORY:
        websocket_fail(websocket, CURLE_OUT_OF_MEMORY, "no memory");
        break;
    }
}

void websocket_emit(struct request *request) {
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
        websocket_end(websocket, websocket_no_close);
    }
}

void websocket_take(struct request *request, const char *data, size_t size) {
    struct websocket *websocket = (struct websocket *)request;
    if (frames_add(&websocket->frames, data, size))
        websocket_emit(request);
    else
        websocket_fail(websocket, CURLE_OUT_OF_MEMORY, "no memory");
}
