#include "receive.h"
#include "../../std/utf8.h"
#include <stdlib.h>
#include <string.h>

/* Codes of close frames that are registered since RFC 6455, and that libwslay does not know. */
enum { FIRST_NEW_CODE = 1012, LAST_NEW_CODE = 1014 };

// MARK: Bytes

// The size of the frame that the input begins with; 0 when not all of its head has come.
static uint64_t frame_size(const uint8_t *input, size_t found) {
    if (found < 2)
        return 0;
    uint64_t length = input[1] & 127;
    size_t more = length < 126 ? 0 : length == 126 ? 2 : 8, head = 2 + more + (input[1] & 128 ? 4 : 0);
    if (found < head)
        return 0;
    if (more > 0)
        length = 0;
    for (size_t i = 0; i < more; i++)
        length = length << 8 | input[2 + i];
    return head + (length & INT64_MAX); // libwslay refuses a longer one
}

// Takes a ping out of the input. RFC 6455, 5.5.3, lets the last of several pings have the only answer.
static void take_ping(struct frames *frames, const uint8_t *ping) {
    frames->has_ping = 1;
    frames->ping_size = ping[1];
    memcpy(frames->ping, ping + 2, ping[1]);
    frames->input.start += 2 + (size_t)ping[1];
}

// How many bytes of the input libwslay may have. It gets no pings, because it would answer each one. It gets each
// control frame in one piece: it checks a close reason piece by piece, and skips two bytes of every piece.
static size_t ready(struct frames *frames) {
    for (size_t found; (found = pieces_size(&frames->input)) > 0;) {
        const uint8_t *input = (const uint8_t *)frames->input.data + frames->input.start;
        if (frames->frame_left == 0) {
            uint64_t size = frame_size(input, found);
            int is_control = found >= 2 && input[0] & 8 && input[1] <= LONGEST_CONTROL;
            if (is_control && found < size)
                return 0;
            if (is_control && input[0] == (128 | WSLAY_PING)) {
                take_ping(frames, input);
                continue;
            }
            frames->frame_left = size;
        }
        return frames->frame_left < found ? (size_t)frames->frame_left : found;
    }
    return 0;
}

static ssize_t receive(wslay_event_context_ptr context, uint8_t *target, size_t size, int flags, void *self) {
    struct frames *frames = self;
    (void)flags;
    size_t found = ready(frames);
    if (found == 0) {
        wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    if (size > found)
        size = found;
    memcpy(target, frames->input.data + frames->input.start, size);
    frames->input.start += size;
    frames->frame_left -= size;
    return (ssize_t)size;
}

// MARK: Frames

void receive_stop(struct frames *frames, enum frames_problem problem) {
    frames->problem = problem;
    wslay_event_shutdown_read(frames->context);
}

static void begin_frame(wslay_event_context_ptr context,
                        const struct wslay_event_on_frame_recv_start_arg *frame, void *self) {
    struct frames *frames = self;
    frames->is_within = 1;
    frames->opcode = frame->opcode;
    if (wslay_is_ctrl_frame(frame->opcode))
        return;
    if (!frames->partial && !(frames->partial = calloc(1, sizeof *frames->partial))) {
        receive_stop(frames, FRAMES_NO_MEMORY);
        return;
    }
    if (frame->opcode != WSLAY_CONTINUATION_FRAME)
        frames->partial->kind = frame->opcode == WSLAY_TEXT_FRAME ? MESSAGE_TEXT : MESSAGE_BINARY;
    if (frame->payload_length > (uint64_t)frames->largest - pieces_size(&frames->partial->bytes)) {
        receive_stop(frames, FRAMES_TOO_LARGE);
        wslay_event_queue_close(context, WSLAY_CODE_MESSAGE_TOO_BIG, NULL, 0);
    }
}

// The server has closed the connection.
static void set_closed(struct frames *frames, uint16_t code, const uint8_t *reason, size_t size) {
    frames->problem = FRAMES_CLOSED;
    frames->code = code;
    if (size > 0)
        memcpy(frames->reason, reason, size);
    frames->reason[size] = 0;
}

// Answers a close frame whose code libwslay would refuse.
static void take_close(struct frames *frames, const uint8_t *data, size_t size) {
    uint16_t code = size < 2 ? 0 : (uint16_t)(data[0] << 8 | data[1]);
    if (code < FIRST_NEW_CODE || code > LAST_NEW_CODE ||
        utf8_valid((const char *)data + 2, size - 2) < size - 2)
        return;
    set_closed(frames, code, data + 2, size - 2);
    wslay_event_shutdown_read(frames->context);
    wslay_event_queue_close(frames->context, code, data + 2, size - 2);
}

static void take_part(wslay_event_context_ptr context, const struct wslay_event_on_frame_recv_chunk_arg *part,
                      void *self) {
    struct frames *frames = self;
    (void)context;
    if (frames->problem != FRAMES_FINE)
        return;
    if (frames->opcode == WSLAY_CONNECTION_CLOSE)
        take_close(frames, part->data, part->data_length);
    else if (!wslay_is_ctrl_frame(frames->opcode) &&
             !pieces_add(&frames->partial->bytes, (const char *)part->data, part->data_length))
        receive_stop(frames, FRAMES_NO_MEMORY);
}

static void end_frame(wslay_event_context_ptr context, void *self) {
    (void)context;
    ((struct frames *)self)->is_within = 0;
}

static void end_message(wslay_event_context_ptr context, const struct wslay_event_on_msg_recv_arg *message,
                        void *self) {
    struct frames *frames = self;
    if (frames->problem != FRAMES_FINE)
        return;
    if (message->opcode == WSLAY_CONNECTION_CLOSE) {
        size_t size = message->msg_length > 2 ? message->msg_length - 2 : 0;
        set_closed(frames, wslay_event_get_status_code_received(context), message->msg + 2, size);
    } else if (!wslay_is_ctrl_frame(message->opcode)) {
        frames_append(frames, frames->partial);
        frames->partial = NULL;
    }
}

void receive_set(struct wslay_event_callbacks *callbacks) {
    callbacks->recv_callback = receive;
    callbacks->on_frame_recv_start_callback = begin_frame;
    callbacks->on_frame_recv_chunk_callback = take_part;
    callbacks->on_frame_recv_end_callback = end_frame;
    callbacks->on_msg_recv_callback = end_message;
}

// Finds out why libwslay reads no more.
static void find_problem(struct frames *frames, int result) {
    // It checks UTF-8 within a frame, and everything else between frames. So a failure within a frame means a wrong text.
    int is_text = result == 0 && frames->is_within;
    if (result == WSLAY_ERR_NOMEM)
        frames->problem = FRAMES_NO_MEMORY;
    else if (is_text && frames->opcode == WSLAY_CONNECTION_CLOSE)
        set_closed(frames, WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA, NULL, 0);
    else
        frames->problem = is_text ? FRAMES_NOT_UTF8 : FRAMES_BROKEN;
}

struct message *frames_next(struct frames *frames) {
    if (frames->first || !frames->context || frames->problem != FRAMES_FINE)
        return frames->first;
    int result = wslay_event_recv(frames->context);
    if (frames->problem == FRAMES_FINE && !wslay_event_get_read_enabled(frames->context))
        find_problem(frames, result);
    return frames->first;
}
