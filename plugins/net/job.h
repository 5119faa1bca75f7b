// One call of an effect.
#ifndef NET_JOB_H
#define NET_JOB_H

#include "../common/engine_call.h"
#include "../common/framing.h"
#include "address.h"

enum job_kind { JOB_CONNECT, JOB_LISTEN, JOB_RECEIVE, JOB_SEND, JOB_SEND_TO, JOB_CLOSE };

struct job {
    struct engine_call base;
    struct job *next; /* in the list that has it */
    enum job_kind kind;
    struct address address; /* JOB_CONNECT, JOB_LISTEN, JOB_RECEIVE; JOB_SEND_TO: of the peer */
    /* JOB_SEND, JOB_CLOSE: of the connection; JOB_SEND_TO: of the socket, or empty */
    char name[address_size];
    struct framing framing;   /* JOB_CONNECT, JOB_LISTEN */
    size_t begin, done, size; /* JOB_SEND: where its bytes begin, how many are sent, and how many there are */
    uint8_t data[];           /* a copy with room around it, as a cancelled call takes its arguments along */
};

/* Makes a job with these bytes. NULL without memory: the call has failed. Called by an effect. */
struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, spin_bytes data);

/* Makes a frame of its bytes; NULL, or why they cannot be one. Called once. */
const char *job_frame(struct job *job, const struct framing *framing);

#endif
