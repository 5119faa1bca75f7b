// The call of `websocket`: one connection after the other.
#ifndef HTTP_WEBSOCKET_H
#define HTTP_WEBSOCKET_H

#include "handshake.h"
#include "outbox.h"
#include "upgrade.h"

enum websocket_state {
    WEBSOCKET_CONNECTING,
    WEBSOCKET_OPEN,
    WEBSOCKET_CLOSING, /* one side has closed the connection, which has not ended yet */
    WEBSOCKET_WAITING  /* for the next connection, or for room before it */
};

struct websocket {
    struct request request;
    struct upgrade upgrade;
    struct handshake handshake;
    struct frames frames;
    struct outbox outbox;
    struct parcel *parcel; /* the one that is being sent */
    enum websocket_state state;
    int64_t asked; /* when the last ping went out, or bytes before it; 0 if no answer is due */
    int asks;      /* a ping waits to go out */
    int held;      /* bytes that the system held when `websocket_ask` looked, after `asked`; 0 before */
    int is_left;   /* the app has closed the connection, and wants no other one */
    int failures;  /* how many connections have failed, one after the other */
    /* Of the last connection: its name, and why it was lost, if it was. `frames` has the code of its end. */
    char name[CONNECTION_NAME_SIZE];
    char loss[256];
};

/* The reason when a connection ends without a close frame. */
extern const char websocket_no_close[];

/* Takes bytes of the connection, and emits what is whole and has room. */
void websocket_take(struct request *request, const char *data, size_t size);
void websocket_emit(struct request *request);

/* Sends a ping to a server that has been silent. Without an answer the connection is lost. */
void websocket_ask(struct websocket *websocket);

/* Writes bytes that are to be sent; how many there are. */
size_t websocket_give(struct request *request, char *target, size_t size);

/* Closes the connection, after the message that is being sent. */
void websocket_close(struct websocket *websocket, uint16_t code, const char *reason);

/* Has libcurl send what frames are left, and waits for the end of the connection. */
void websocket_await_end(struct websocket *websocket);

/* The server has closed the connection: answers it. */
void websocket_answer_close(struct websocket *websocket);

/* Drops what the connection has. Not within libcurl. */
void websocket_drop(struct websocket *websocket);

/* The same when the connection has ended, or is lost for a reason: `closed` is the last emission then. */
void websocket_end(struct websocket *websocket, const char *loss);

/* Ends the call as failed, and takes leave of the server. */
__attribute__((format(printf, 3, 4))) void websocket_fail(struct websocket *websocket, int code,
                                                          const char *format, ...);

/* The call is over: takes leave of the server, if there is a connection. */
void websocket_leave(struct request *request);

#endif
