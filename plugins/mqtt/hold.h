// Messages that have come, and that not all calls have taken. As long as there are any, the client reads nothing more,
// and sends no acknowledgement: those of libmosquitto wait in its queue. So a broker keeps what the loop has not taken.
#ifndef MQTT_HOLD_H
#define MQTT_HOLD_H

#include "mqtt.h"

struct mosquitto_message;

struct message {
    struct message *next;
    uint64_t number;
    int mid; /* the number of its packet; 0 if it is of an earlier connection */
    int qos;
    bool retained;
    spin_string topic;
    spin_bytes payload;
};

struct hold {
    struct message *first, **last;
    struct message *taken; /* of QoS 1, as long as their acknowledgements are not sent */
    uint64_t count;        /* of all messages so far */
    uint64_t restored;     /* the number of the last one that an earlier instance has left */
    int64_t patience;      /* until when messages wait for their first call, as monotonic_now counts */
    int has_complained;    /* whether the log says that a message was dropped, for this connection */
};

void hold_init(struct hold *hold);
void hold_free(struct hold *hold);

/* Keeps a copy of a message; 0 without memory. */
int hold_add(struct hold *hold, const struct mosquitto_message *message);

/* Removes the first message, which all calls have taken or no call wants. */
void hold_remove(struct hold *hold);

/* The broker has the acknowledgements of all that were taken. */
void hold_is_acknowledged(struct hold *hold);

/* The connection is lost, and with it the numbers of the packets. */
void hold_is_lost(struct hold *hold);

/* Writes the messages that no broker sends again, and takes them over; 0 if the bytes are no such messages. */
spin_status hold_save(const spin_self *self, spin_saving *saving);
int hold_restore(spin_self *self, const uint8_t *data, size_t size);

#endif
