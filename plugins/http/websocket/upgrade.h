// A transfer of libcurl whose connection carries bytes in both directions, after the server has answered with 101.
//
// The libcurl of Debian 12 has no WebSockets. But to libcurl, all that follows a 101 is the body of the answer, and a
// request may have a body of any length. So an upload that pauses while there is nothing to send is the way out.
#ifndef HTTP_UPGRADE_H
#define HTTP_UPGRADE_H

#include "../transfer.h"

/* libcurl tries at most a few addresses at a time, and a proxy has one socket. */
enum { MOST_SOCKETS = 8 };

struct upgrade {
    struct request *request;
    curl_socket_t made[MOST_SOCKETS]; /* the last sockets of libcurl */
    size_t count;                     /* how many it has made */
    curl_socket_t socket;             /* that of the connection */
    int is_ended;                     /* the server sends no more */
};

/* Sets up the handle of the request; 0 for want of memory. Called by an effect. */
int upgrade_prepare(struct upgrade *upgrade, struct request *request);

/* The server has answered with 101. */
void upgrade_begin(struct upgrade *upgrade);

/* The connection ends. */
void upgrade_end(struct upgrade *upgrade);

/* How many bytes the system holds that the other side has not taken. */
int upgrade_held(const struct upgrade *upgrade);

/* Has libcurl ask for bytes to send. */
void upgrade_send(struct upgrade *upgrade);

#endif
