// `send_text`, `send_bytes` and `close`: what an app sends on an open connection.
#include "websocket.h"
#include <string.h>

// Hands the next parcel to the frames; 0 without one.
static int next_parcel(struct websocket *websocket) {
    // After the close frame of the server nothing goes out. Its other messages may still wait for room.
    if (websocket->state != WEBSOCKET_OPEN || websocket->frames.problem != FRAMES_FINE)
        return 0;
    struct parcel *parcel = websocket->parcel = outbox_take(&websocket->outbox);
    if (!parcel)
        return 0;
    if (parcel->kind == MESSAGE_CLOSED) {
        websocket->is_left = 1;
        websocket_close(websocket, parcel->code, parcel->data);
    } else if (!frames_send(&websocket->frames, parcel->kind, parcel->data, parcel->size)) {
        outbox_end(&websocket->outbox, parcel, "no memory");
        websocket->parcel = NULL;
    }
    return 1;
}

size_t websocket_give(struct request *request, char *target, size_t size) {
    struct websocket *websocket = (struct websocket *)request;
    size_t given = 0;
    while (websocket->frames.context && given < size) {
        size_t more = frames_give(&websocket->frames, target + given, size - given);
        given += more;
        // Until the ping has gone out, the server shows that it lives by taking what goes before it.
        if (websocket->asks && more > 0) {
            websocket->asked = monotonic_now();
            websocket->held = 0;
        }
        if (!frames_are_given(&websocket->frames))
            break;
        websocket->asks = 0;
        if (websocket->parcel)
            outbox_end(&websocket->outbox, websocket->parcel, NULL);
        websocket->parcel = NULL;
        if (!next_parcel(websocket))
            break;
    }
    return given;
}

static void send_text(spin_call *call, spin_self *self, spin_string connection, spin_string text) {
    outboxes_send(call, self, connection, MESSAGE_TEXT, 0, text.data, text.size);
}
SPIN_EFFECT(void, send_text, (spin_call *call, spin_self *self, spin_string connection, spin_string text),
            "Sends a text on an open WebSocket. It ends when libcurl has it, and emits nothing.");

static void send_bytes(spin_call *call, spin_self *self, spin_string connection, spin_bytes data) {
    outboxes_send(call, self, connection, MESSAGE_BINARY, 0, (const char *)data.data, data.size);
}
SPIN_EFFECT(void, send_bytes, (spin_call *call, spin_self *self, spin_string connection, spin_bytes data),
            "Sends a binary message on an open WebSocket. It ends when libcurl has it, and emits nothing.");

static void close(spin_call *call, spin_self *self, spin_string connection, int32_t code,
                  spin_string reason) {
    const char *problem = NULL;
    if (code != 1000 && code != 1001 && (code < 3000 || code > 4999))
        problem = "the code is not 1000, 1001, or 3000 to 4999";
    else if (reason.size > LONGEST_REASON || memchr(reason.data, 0, reason.size))
        problem = "the reason has more than 123 bytes, or a NUL character";
    if (problem)
        spin_fail(call, -CURLE_BAD_FUNCTION_ARGUMENT, problem);
    else
        outboxes_send(call, self, connection, MESSAGE_CLOSED, (uint16_t)code, reason.data, reason.size);
}
SPIN_EFFECT(void, close,
            (spin_call *call, spin_self *self, spin_string connection, int32_t code, spin_string reason),
            "Closes a WebSocket with a code such as 1000, after what waits to be sent. Its call of `websocket` ends "
            "then. It emits nothing.");
