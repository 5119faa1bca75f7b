#include "frames.h"
#include "receive.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// MARK: What libwslay calls

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

// MARK: The connection

int frames_open(struct frames *frames, long long largest) {
    struct wslay_event_callbacks callbacks = {.send_callback = place, .genmask_callback = make_mask};
    receive_set(&callbacks);
    frames->problem = FRAMES_FINE;
    frames->is_within = frames->has_ping = 0;
    frames->frame_left = 0;
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
    return frames->problem != FRAMES_FINE || pieces_add(&frames->input, data, size);
}

void frames_append(struct frames *frames, struct message *message) {
    *frames->last = message;
    frames->last = &message->next;
}

int frames_note(struct frames *frames, enum message_kind kind, const char *text) {
    struct message *message = calloc(1, sizeof *message);
    if (!message || !pieces_add(&message->bytes, text, strlen(text))) {
        free_message(message);
        return 0;
    }
    message->kind = kind;
    frames_append(frames, message);
    return 1;
}

void frames_drop(struct frames *frames) {
    struct message *message = frames->first;
    frames->first = message->next;
    if (!frames->first)
        frames->last = &frames->first;
    free_message(message);
}

// MARK: Sending

// Has a frame sent. A failure if nothing is sent any more.
static int queue(struct frames *frames, uint8_t opcode, const char *data, size_t size) {
    struct wslay_event_msg message = {opcode, (const uint8_t *)data, size};
    return wslay_event_queue_msg(frames->context, &message);
}

int frames_send(struct frames *frames, enum message_kind kind, const char *data, size_t size) {
    return queue(frames, kind == MESSAGE_TEXT ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME, data, size) == 0;
}

int frames_ping(struct frames *frames) { return queue(frames, WSLAY_PING, NULL, 0) != WSLAY_ERR_NOMEM; }

int frames_end(struct frames *frames, uint16_t code, const char *reason) {
    return wslay_event_queue_close(frames->context, code, (const uint8_t *)reason, strlen(reason)) !=
           WSLAY_ERR_NOMEM;
}

static int all_is_placed(const struct frames *frames) {
    return wslay_event_get_queued_msg_count(frames->context) == 0;
}

size_t frames_give(struct frames *frames, char *target, size_t size) {
    frames->target = target;
    frames->room = size;
    frames->placed = 0;
    int result = wslay_event_send(frames->context);
    if (result == 0 && frames->has_ping && all_is_placed(frames)) {
        frames->has_ping = 0;
        result = queue(frames, WSLAY_PONG, (const char *)frames->ping, frames->ping_size);
        if (result == 0)
            result = wslay_event_send(frames->context);
    }
    if (result != 0 && result != WSLAY_ERR_NO_MORE_MSG && frames->problem == FRAMES_FINE)
        receive_stop(frames, FRAMES_NO_MEMORY);
    return frames->placed;
}

int frames_are_given(const struct frames *frames) { return all_is_placed(frames) && !frames->has_ping; }
