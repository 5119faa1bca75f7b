#include "frames.h"
#include "../../std/utf8.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* A server that sends pings, and reads no answers, has at most so many. */
enum { most_answers = 1000 };

// MARK: What libwslay calls

static ssize_t receive(wslay_event_context_ptr context, uint8_t *target, size_t size, int flags, void *self) {
    struct frames *frames = self;
    (void)flags;
    size_t found = pieces_size(&frames->input);
    if (found == 0) {
        wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    if (size > found)
        size = found;
    memcpy(target, frames->input.data + frames->input.start, size);
    frames->input.start += size;
    return (ssize_t)size;
}

static ssize_t place(wslay_event_context_ptr context, const uint8_t *data, size_t size, int flags,
                     void *self) {
    struct frames *frames = self;
    (void)flags;
    if (size > frames->room - frames->placed)
        size = frames->room - frames->placed;
    if (size == 0) {
        wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(frames->target + frames->placed, data, size);
    frames->placed += size;
    return (ssize_t)size;
}

// RFC 6455, 10.3: nobody may be able to guess it.
static int make_mask(wslay_event_context_ptr context, uint8_t *target, size_t size, void *self) {
    (void)self;
    if (getrandom(target, size, 0) == (ssize_t)size)
        return 0;
    wslay_event_set_error(context, WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static void stop_reading(struct frames *frames, enum frames_problem problem) {
    frames->problem = problem;
    wslay_event_shutdown_read(frames->context);
}

static void begin_frame(wslay_event_context_ptr context,
                        const struct wslay_event_on_frame_recv_start_arg *frame, void *self) {
    struct frames *frames = self;
    frames->is_within = 1;
    frames->is_control = wslay_is_ctrl_frame(frame->opcode);
    if (frames->is_control)
        return;
    if (!frames->partial && !(frames->partial = calloc(1, sizeof *frames->partial))) {
        stop_reading(frames, FRAMES_NO_MEMORY);
        return;
    }
    if (frame->opcode != WSLAY_CONTINUATION_FRAME)
        frames->partial->kind = frame->opcode == WSLAY_TEXT_FRAME ? MESSAGE_TEXT : MESSAGE_BINARY;
    if (frame->payload_length > (uint64_t)frames->largest - pieces_size(&frames->partial->bytes)) {
        stop_reading(frames, FRAMES_TOO_LARGE);
        wslay_event_queue_close(context, WSLAY_CODE_MESSAGE_TOO_BIG, NULL, 0);
    }
}

static void take_part(wslay_event_context_ptr context, const struct wslay_event_on_frame_recv_chunk_arg *part,
                      void *self) {
    struct frames *frames = self;
    (void)context;
    if (!frames->is_control && frames->problem == FRAMES_FINE &&
        !pieces_add(&frames->partial->bytes, (const char *)part->data, part->data_length))
        stop_reading(frames, FRAMES_NO_MEMORY);
}

static void end_frame(wslay_event_context_ptr context, void *self) {
    (void)context;
    ((struct frames *)self)->is_within = 0;
}

// The server has closed the connection, with a reason that is not UTF-8.
static void close_without_reason(struct frames *frames) {
    frames->problem = FRAMES_CLOSED;
    frames->code = WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA;
    frames->reason[0] = 0;
}

static void append(struct frames *frames, struct message *message) {
    *frames->last = message;
    frames->last = &message->next;
}

static void end_message(wslay_event_context_ptr context, const struct wslay_event_on_msg_recv_arg *message,
                        void *self) {
    struct frames *frames = self;
    if (frames->problem != FRAMES_FINE)
        return;
    if (message->opcode == WSLAY_CONNECTION_CLOSE) {
        size_t size = message->msg_length > 2 ? message->msg_length - 2 : 0;
        frames->code = wslay_event_get_status_code_received(context);
        if (size > 0)
            memcpy(frames->reason, message->msg + 2, size);
        frames->reason[size] = 0;
        // libwslay does not look at all bytes of a frame that comes in pieces.
        if (utf8_valid(frames->reason, size) == size)
            frames->problem = FRAMES_CLOSED;
        else
            close_without_reason(frames);
    } else if (message->opcode == WSLAY_PING) {
        if (wslay_event_get_queued_msg_count(context) > most_answers)
            stop_reading(frames, FRAMES_FLOOD);
    } else if (!wslay_is_ctrl_frame(message->opcode)) {
        append(frames, frames->partial);
        frames->partial = NULL;
    }
}

// MARK: The connection

int frames_open(struct frames *frames, long long largest) {
    static const struct wslay_event_callbacks callbacks = {.recv_callback = receive,
                                                           .send_callback = place,
                                                           .genmask_callback = make_mask,
                                                           .on_frame_recv_start_callback = begin_frame,
                                                           .on_frame_recv_chunk_callback = take_part,
                                                           .on_frame_recv_end_callback = end_frame,
                                                           .on_msg_recv_callback = end_message};
    frames->problem = FRAMES_FINE;
    frames->is_within = frames->is_control = 0;
    frames->largest = largest;
    frames->code = WSLAY_CODE_ABNORMAL_CLOSURE;
    frames->reason[0] = 0;
    if (!frames->first)
        frames->last = &frames->first;
    if (wslay_event_context_client_init(&frames->context, &callbacks, frames) != 0) {
        frames->context = NULL;
        return 0;
    }
    // It would keep each part of a message in memory of its own, however small.
    wslay_event_config_set_no_buffering(frames->context, 1);
    wslay_event_config_set_max_recv_msg_length(frames->context, INT64_MAX); // `begin_frame` has the limit
    return 1;
}

static void free_message(struct message *message) {
    if (message)
        pieces_free(&message->bytes);
    free(message);
}

void frames_close(struct frames *frames) {
    if (frames->context)
        wslay_event_context_free(frames->context);
    frames->context = NULL;
    pieces_free(&frames->input);
    free_message(frames->partial);
    frames->partial = NULL;
}

void frames_free(struct frames *frames) {
    frames_close(frames);
    while (frames->first)
        frames_drop(frames);
}

int frames_add(struct frames *frames, const char *data, size_t size) {
    return pieces_add(&frames->input, data, size);
}

int frames_note(struct frames *frames, enum message_kind kind, const char *text) {
    struct message *message = calloc(1, sizeof *message);
    if (!message || !pieces_add(&message->bytes, text, strlen(text))) {
        free_message(message);
        return 0;
    }
    message->kind = kind;
    append(frames, message);
    return 1;
}

// Finds out why libwslay reads no more.
static void find_problem(struct frames *frames, int result) {
    // It looks at the text of a frame between its start and its end, and at everything else outside.
    int is_text = result == 0 && frames->is_within;
    if (result == WSLAY_ERR_NOMEM)
        frames->problem = FRAMES_NO_MEMORY;
    else if (is_text && frames->is_control)
        close_without_reason(frames);
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

void frames_drop(struct frames *frames) {
    struct message *message = frames->first;
    frames->first = message->next;
    if (!frames->first)
        frames->last = &frames->first;
    free_message(message);
}

// MARK: Sending

static int queue(struct frames *frames, uint8_t opcode, const char *data, size_t size) {
    struct wslay_event_msg message = {opcode, (const uint8_t *)data, size};
    int result = wslay_event_queue_msg(frames->context, &message);
    return result == 0 || result == WSLAY_ERR_NO_MORE_MSG;
}

int frames_send(struct frames *frames, enum message_kind kind, const char *data, size_t size) {
    return queue(frames, kind == MESSAGE_TEXT ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME, data, size);
}

int frames_ping(struct frames *frames) { return queue(frames, WSLAY_PING, NULL, 0); }

int frames_end(struct frames *frames, uint16_t code, const char *reason) {
    int result = wslay_event_queue_close(frames->context, code, (const uint8_t *)reason, strlen(reason));
    return result == 0 || result == WSLAY_ERR_NO_MORE_MSG;
}

size_t frames_give(struct frames *frames, char *target, size_t size) {
    frames->target = target;
    frames->room = size;
    frames->placed = 0;
    if (wslay_event_send(frames->context) != 0 && frames->problem == FRAMES_FINE)
        stop_reading(frames, FRAMES_NO_MEMORY);
    return frames->placed;
}

int frames_are_given(const struct frames *frames) {
    return wslay_event_get_queued_msg_count(frames->context) == 0;
}
