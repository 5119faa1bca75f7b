// One call of an effect, from its begin to its end. The thread holds it until the call is over.
#ifndef MQTT_CALL_H
#define MQTT_CALL_H

#include "mqtt.h"
#include "../common/lasting.h"

enum call_kind { CALL_CONNECTION, CALL_SUBSCRIBE, CALL_PUBLISH };

struct call {
    struct lasting lasting;
    spin_self *self;
    spin_call *token;
    enum call_kind kind;
    atomic_int is_waiting; /* `most_waiting` counts it */

    /* For the thread. */
    struct call *next;
    uint64_t seen;                     /* the number of the last state or message that it has emitted */
    struct subscription *subscription; /* of `subscribe` */
    int is_sent;                       /* of `publish`: libmosquitto has it */

    /* Copies of the arguments, in the memory of the call: a cancelled call takes its arguments along. */
    int qos;
    bool retained;
    spin_string topic;
    spin_bytes payload;
};

/* Makes a call of copies, and gives it to the thread. Called by an effect. */
void call_begin(spin_self *self, struct call order);

/* Takes the calls that are new, and lets go of those that are over; 0 when the thread must end. */
int calls_take(spin_self *self);

/* Lets go of all calls. */
void calls_drop(spin_self *self);

/* Whether the thread is to emit again, after an emission that had this status. Otherwise the call waits for room, or is
 * over. */
int call_continues(struct call *call, spin_status status);

/* End a call: as it should, or with a reason. */
void call_finish(struct call *call);
void call_fail(struct call *call, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
