// What a server sends, frame by frame. Each byte is looked at a fixed number of times, however the frames are cut.
#ifndef NATS_PARSER_H
#define NATS_PARSER_H

#include "../../std/pieces.h"
#include "message.h"

enum frame_kind {
    FRAME_NONE, /* until more bytes have come */
    FRAME_INFO,
    FRAME_MESSAGE,
    FRAME_TOO_LARGE, /* a message without its headers and its data, which are dropped */
    FRAME_PING,
    FRAME_PONG,
    FRAME_ERROR,
    FRAME_OK,
    FRAME_IS_DAMAGED
};

/* It refers to the bytes that have come, and is valid until `parser_take`. */
struct frame {
    spin_string text; /* of FRAME_INFO: JSON; of FRAME_ERROR: what the server says, without quotes */
    uint64_t ticket;  /* the number of the subscription of a message */
    struct message message;
};

/* Zeroed memory is a parser. */
struct parser {
    struct pieces received;
    size_t line_size; /* of the message whose bytes have not all come, with its end; 0 without one */
    size_t subject, subject_size;     /* where its subject is in the line */
    size_t reply, reply_size;         /* the same for its reply */
    size_t ticket_end;                /* where the number of its subscription ends */
    size_t header_size, message_size; /* of the bytes behind the line, the first including the second */
    size_t taken;                     /* of the frame that was found */
    size_t skipped;                   /* how many bytes of a message are still to be dropped */
};

/* Finds the next frame. Messages with more bytes than `largest` are dropped. */
enum frame_kind parser_next(struct parser *parser, size_t largest, struct frame *frame);

/* Lets go of the frame that was found. */
void parser_take(struct parser *parser);

/* Forgets all bytes. */
void parser_clear(struct parser *parser);

#endif
