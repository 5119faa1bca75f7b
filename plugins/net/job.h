// One call of an effect, from its begin to its end. The engine holds it until the call is over.
#ifndef NET_JOB_H
#define NET_JOB_H

#include "../common/framing.h"
#include "../common/lasting.h"
#include "address.h"

enum job_kind { JOB_CONNECT, JOB_LISTEN, JOB_RECEIVE, JOB_SEND, JOB_SEND_TO, JOB_CLOSE };

struct job {
    struct lasting lasting;
    struct job *next; /* in the list that has it */
    spin_self *self;
    spin_call *call;
    enum job_kind kind;
    struct address address; /* JOB_CONNECT, JOB_LISTEN, JOB_RECEIVE; JOB_SEND_TO: of the peer */
    char
        name[address_size]; /* JOB_SEND, JOB_CLOSE: of the connection; JOB_SEND_TO: of the socket, or empty */
    struct framing framing; /* JOB_CONNECT, JOB_LISTEN */
    char key[SPIN_RUN_KEY_SIZE]; /* of its run, or empty */
    size_t begin, done, size; /* JOB_SEND: where its bytes begin, how many are sent, and how many there are */
    uint8_t data[];           /* a copy with room around it, as a cancelled call takes its arguments along */
};

/* The job that has it. */
struct job *job_of(struct lasting *lasting);

/* Makes a job with these bytes. NULL without memory: the call has failed. Called by an effect. */
struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, spin_bytes data);

/* Gives a job to the engine. Called by an effect. */
void job_begin(struct job *job);

/* Ends the call, and drops the engine's hold. Called by the engine. */
void job_finish(struct job *job);
void job_fail(struct job *job, spin_status code, const char *reason);

/* Whether the job may emit more after an emission that had this status. If not, it waits for room, or is over. Called
 * by the engine. */
int job_continues(struct job *job, spin_status status);

/* Gives up one hold. On any thread. */
void job_drop(struct job *job);

#endif
