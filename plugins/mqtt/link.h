// The connection to the broker. It is made again and again, until the end.
#ifndef MQTT_LINK_H
#define MQTT_LINK_H

#include "../common/lookup.h"

enum link_state {
    LINK_RESTS,    /* until `due` */
    LINK_ASKS,     /* for the addresses of the broker */
    LINK_CONNECTS, /* until the broker has accepted the client */
    LINK_IS_UP
};

/* The number of the last packet of a connection. */
enum { fence_mid = 65535 };

struct link {
    enum link_state state;
    int64_t
        due; /* as monotonic_now counts: when to connect, to give up, or to show that the client is alive */
    unsigned tries; /* that have failed, one after the other */
    int64_t up_since;
    struct lookup *lookup; /* NULL unless it asks or connects */
    int is_fresh;          /* whether the system has not said yet that the socket is connected */
    int is_whole;          /* whether the last packet that was sent is whole */
    int has_failed;        /* whether there was no memory for a message */
    int is_fenced;         /* whether the broker has answered the last packet */
    int is_used;           /* whether libmosquitto may have messages of an earlier connection */
    int is_outdated;       /* whether the broker knows nothing of them */
    int has_lost_session;  /* whether the broker has lost the session, and the calls do not know it yet */
    const char *refusal;   /* why the broker has refused the client; NULL if it has not */

    uint64_t changes; /* counts those of the state that calls hear of */
    int is_resumed;   /* whether the broker has known the session */
    char reason[256]; /* why it is not up */
};

/* Does what is due. Returns when to look again. */
int64_t link_advance(spin_self *self);

/* The broker has answered: it takes the client (0), or refuses it. */
void link_has_connected(spin_self *self, int code, int is_resumed);

/* The connection is lost, for this reason or by this error of libmosquitto. Tries the next address, or rests. */
void link_lose(spin_self *self, const char *reason);
void link_lose_with(spin_self *self, int error);

/* The broker has lost the session. Connects once more, without what libmosquitto has kept of it. */
void link_start_over(spin_self *self);

/* Says goodbye, and waits until the broker has closed the connection. */
void link_part(spin_self *self);

/* Ends the connection in order. Messages of QoS 2 that have come half come whole. */
void link_end(spin_self *self);

/* socket.c */

/* The socket to wait for, and its events; -1 without one. */
int link_socket(spin_self *self, short *events);

/* Reads what the socket has, after these events of poll. */
void link_serve(spin_self *self, short events);

/* Writes what libmosquitto has to send, unless messages are held. */
void link_write(spin_self *self);

#endif
