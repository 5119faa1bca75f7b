// How HTTP becomes a WebSocket (RFC 6455, section 4).
#ifndef HTTP_HANDSHAKE_H
#define HTTP_HANDSHAKE_H

#include "../transfer.h"

/* The longest name of a subprotocol in bytes. */
enum { LONGEST_PROTOCOL = 127 };

struct handshake {
    char expected[32];                   /* what the server must answer */
    char *protocols;                     /* those of the caller, `a, b`; NULL without one */
    char protocol[LONGEST_PROTOCOL + 1]; /* the one that the server has chosen; may be empty */
    int is_upgrade, has_token, is_accepted, has_extension;
};

/* The URL for libcurl, which the caller frees: `http` for `ws`. NULL, with the reason, if it is no such URL. */
char *handshake_url(spin_string url, struct reason *why);

/* Whether a caller may set these headers. Otherwise says why not. */
int handshake_allows(const spin_list_string *headers, struct reason *why);

/* Keeps the names of subprotocols. Otherwise says why not. */
int handshake_set_protocols(struct handshake *handshake, const spin_list_string *protocols,
                            struct reason *why);

/* Sets the headers of the next connection; 0 after a failure. */
int handshake_begin(struct handshake *handshake, struct request *request);

/* Takes a header of the answer; one with an empty name begins a new answer. */
void handshake_take(struct handshake *handshake, spin_string name, spin_string value);

/* Why the answer begins no WebSocket; NULL if it does. */
const char *handshake_problem(const struct handshake *handshake);

#endif
