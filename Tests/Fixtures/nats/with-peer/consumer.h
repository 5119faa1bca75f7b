/* The consumer of JetStream that the server of a test plays, for one call of `consume`: stream `s`, consumer `c`. */
#ifndef NATS_TEST_CONSUMER_H
#define NATS_TEST_CONSUMER_H

#include "scene.h"

/* The number of the call's subscription, and where it expects what is said of its last request. */
extern char ticket[PEER_TICKET], inbox[160];

/* Reads the subscription of the call. */
void take_subscription(void);

/* Reads a request about the consumer; the same with an answer to it, of which one says that it is there. */
extern const char is_there[];
void take_question(void);
void take_info(const char *answer);

/* Reads a request for messages; what it asks for. After a failure, or the first time, one about the consumer comes
 * before it. */
const char *take_pull(void);
const char *take_first_pull(void);

/* Gives the next message, or says something of the last request. */
void give(const char *data);
void status(const char *text);

/* Waits until the instance has read all that was sent, and is to come again. */
void await_read(spin_self *self);

/* Lets time pass second by second, so that the instance sees each of them. */
void pass(spin_self *self, int seconds);

#endif
