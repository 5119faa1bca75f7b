// The connection to a server. It is made again and again, until the end.
#ifndef NATS_LINK_H
#define NATS_LINK_H

#include "../nats.h"
#include "../../common/lookup.h"
#include "../../common/place.h"
#include "../wire/parser.h"
#include "../wire/stream.h"

enum link_state {
    LINK_RESTS,      /* until `due` */
    LINK_ASKS,       /* for the addresses of the server */
    LINK_CONNECTS,   /* until the system has connected the socket */
    LINK_LISTENS,    /* until the server has said what it is */
    LINK_HANDSHAKES, /* until there is TLS */
    LINK_GREETS,     /* until the server has taken the client */
    LINK_IS_UP
};

struct link {
    enum link_state state;
    int64_t due;    /* when to connect, to give up, or to ask whether the server is alive */
    size_t server;  /* the number of the server that it is about */
    size_t failed;  /* how many servers have failed, one after the other */
    unsigned tries; /* how often all of them have */
    int64_t up_since;
    struct lookup *lookup; /* NULL unless it asks or connects */
    struct stream stream;
    uint32_t events; /* that the engine waits for */
    struct parser parser;
    struct pieces out; /* what is to be sent */

    int64_t max_payload;     /* of the server */
    char nonce[128];         /* what the client is to sign; empty: nothing */
    uint64_t pings, pongs;   /* how many were sent, and answered */
    int is_asked;            /* whether the server is to show that it is alive */
    int has_no_memory;       /* for what is to be sent: a part of it would be missing */
    int has_no_answers;      /* whether the server refuses the subscription for answers */
    int has_complained;      /* whether the log has a refusal that is about no call, for this connection */
    char error[most_reason]; /* what the server has said last of the connection; empty: nothing */

    uint64_t changes;         /* counts those of the state that calls hear of */
    char reason[most_reason]; /* why it is not up */
};

/* Begins with the first server. */
void link_begin(spin_self *self);

/* Does what is due. Returns when to look again. */
void link_advance(spin_self *self);
int64_t link_due(const spin_self *self);

/* The connection is lost or was not made. Tries the next address or server, or rests. */
void link_lose(spin_self *self, const char *reason);

/* What follows the states that wait for the server. */
void link_has_socket(spin_self *self);
void link_is_greeted(spin_self *self);

/* Adds bytes to what is sent. */
void link_add(spin_self *self, const void *data, size_t size);
void link_ping(spin_self *self);

/* Closes it, and forgets all of it. */
void link_close(spin_self *self);

/* end.c */

/* Sends what there is, as far as the server takes it, and closes the connection. */
void link_end(spin_self *self);

/* greet.c */

/* The server has said what it is. Begins TLS, or sends what the client is. */
void greet(spin_self *self, spin_string info);

/* Reads the certificates, unless that is done; NULL, or why they cannot be used. */
const char *link_prepare_tls(spin_self *self, char *reason, size_t size);

/* Sends what the client is. */
void greet_back(spin_self *self);

/* traffic.c */

/* Reads what the socket has, and handles it. */
void traffic_serve(spin_self *self, uint32_t events);

/* Writes what there is to send. */
void traffic_write(spin_self *self);

/* Says what to wait for. */
void traffic_watch(spin_self *self);

#endif
