// The calls of `publish`.
#ifndef MQTT_PUBLISH_H
#define MQTT_PUBLISH_H

#include "mqtt.h"

struct call;

/* How many messages libmosquitto has at a time. The others wait in their calls, which can be cancelled. */
enum { most_sendings = 20 };

/* A message that libmosquitto has. */
struct sending {
    int is_used, mid, qos;
    struct call *call; /* NULL after its end */
};

/* For the thread of the client. Gives messages to libmosquitto; without a connection, fails those that do not wait. */
void publish_send(spin_self *self);

/* Libmosquitto has done what the QoS of a message demands. */
void publish_is_done(spin_self *self, int mid);

/* The connection is lost. Messages of QoS 1 and 2 wait for the next one. */
void publish_is_lost(spin_self *self);

/* Libmosquitto has forgotten all messages. Their calls send them once more. */
void publish_take_back(spin_self *self);

/* The call is over, and its message may still go out. */
void sendings_forget(const struct call *call);

#endif
