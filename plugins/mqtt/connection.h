#ifndef MQTT_CONNECTION_H
#define MQTT_CONNECTION_H

#include "mqtt.h"

/* Tells the calls of `connection` what has changed since they heard of it last. On the thread of the client. */
void connection_tell(spin_self *self);

#endif
