// Filters of topics that the client subscribes to, and the messages for their calls. For the thread of the client.
#ifndef MQTT_SUBSCRIPTION_H
#define MQTT_SUBSCRIPTION_H

#include "mqtt.h"

struct call;

/* What the broker knows of a filter. */
enum subscription_state { SUBSCRIPTION_IS_WANTED, SUBSCRIPTION_IS_ASKED, SUBSCRIPTION_IS_THERE };

/* One filter, and all calls that have it. */
struct subscription {
    struct subscription *next;
    enum subscription_state state;
    int mid; /* of the last packet that asks for it */
    int qos; /* the greatest of its calls */
    size_t calls;
    int64_t idle_since; /* without calls, as monotonic_now counts */
    char filter[];
};

/* How long a session keeps what has no call, in nanoseconds: a call comes after `start`, and one that has ended may be
 * made again. A message of the latter waits for a shorter time as long as there are other calls, which it holds up. */
#define SUBSCRIPTION_PATIENCE INT64_C(10000000000)
#define SUBSCRIPTION_SHORT_PATIENCE INT64_C(1000000000)

/* A call begins and ends. */
void subscription_join(struct call *call);
void subscription_leave(struct call *call);

/* Asks the broker for what calls want, and ends what none wants. Returns when to look again. */
int64_t subscriptions_send(spin_self *self);

/* The broker has answered a packet. */
void subscription_is_answered(spin_self *self, int mid, int is_granted);

/* The connection is lost. */
void subscriptions_are_lost(spin_self *self);

/* Emits the messages that are held, as far as there is room. Returns when to try again. */
int64_t subscriptions_emit(spin_self *self);

/* Frees all. */
void subscriptions_free(spin_self *self);

#endif
