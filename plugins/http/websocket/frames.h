// The frames of a WebSocket (RFC 6455) with libwslay: bytes of the connection become messages, and the reverse.
#ifndef HTTP_FRAMES_H
#define HTTP_FRAMES_H

#include "../../std/pieces.h"
#include <wslay/wslay.h>

/* The most bytes of a control frame, and those of the reason of a close frame. */
enum { LONGEST_CONTROL = 125, LONGEST_REASON = LONGEST_CONTROL - 2 };

enum message_kind { MESSAGE_OPENED, MESSAGE_TEXT, MESSAGE_BINARY, MESSAGE_CLOSED };

/* One message that has come. */
struct message {
    struct message *next;
    enum message_kind kind;
    struct pieces bytes;
};

/* Why the frames of the server end. */
enum frames_problem {
    FRAMES_FINE,
    FRAMES_CLOSED, /* the server has sent a close frame */
    FRAMES_TOO_LARGE,
    FRAMES_NOT_UTF8,
    FRAMES_BROKEN,
    FRAMES_NO_MEMORY
};

/* Zeroed ones are closed. */
struct frames {
    struct wslay_event_context *context;
    long long largest;
    struct pieces input;           /* has come, and is not read yet */
    struct message *partial;       /* whose end has not come */
    struct message *first, **last; /* are whole; `last` is where the next one goes */
    enum frames_problem problem;
    uint64_t frame_left; /* bytes of the present frame that libwslay has not got */
    uint8_t opcode;      /* of the present frame */
    int is_within;       /* a frame has begun and not ended */
    int has_ping;        /* the answer to the last ping waits */
    size_t ping_size;
    uint8_t ping[LONGEST_CONTROL];
    char *target;        /* where bytes go that are to be sent */
    size_t room, placed; /* of `target` */
    uint16_t code;       /* of the server's close frame; 1005 without one in it, 1007 for a wrong reason */
    char reason[LONGEST_REASON + 1];
};

/* Begins a connection whose messages have at most `largest` bytes; 0 for want of memory. */
int frames_open(struct frames *frames, long long largest);

/* Frees everything but the messages that are whole. */
void frames_close(struct frames *frames);

/* Frees these, too. */
void frames_free(struct frames *frames);

/* Appends bytes of the connection, unless they do not count any more; 0 for want of memory. */
int frames_add(struct frames *frames, const char *data, size_t size);

/* Appends a whole message. */
void frames_append(struct frames *frames, struct message *message);

/* Appends a message that no frame has; 0 for want of memory. */
int frames_note(struct frames *frames, enum message_kind kind, const char *text);

/* The next message, which the caller drops; NULL without one. Then `problem` says whether more can come. */
struct message *frames_next(struct frames *frames);

/* Drops the first message. */
void frames_drop(struct frames *frames);

/* Have these sent; 0 for want of memory. After a close frame nothing is sent, and a message fails, too. Messages go
 * out one after the other, and control frames between them. */
int frames_send(struct frames *frames, enum message_kind kind, const char *data, size_t size);
int frames_ping(struct frames *frames);
int frames_end(struct frames *frames, uint16_t code, const char *reason);

/* Writes bytes that are to be sent; how many there are. */
size_t frames_give(struct frames *frames, char *target, size_t size);

/* Whether `frames_give` has given everything. */
int frames_are_given(const struct frames *frames);

#endif
