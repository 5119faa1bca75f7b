#ifndef MQTT_LIBRARY_H
#define MQTT_LIBRARY_H

#include "mqtt.h"
#include <stddef.h>

/* Makes the client of libmosquitto, as the settings say, and reports to the instance; NULL, or why it cannot. */
const char *library_open(spin_self *self, char *reason, size_t size);

/* Makes it once more, without the messages of its connections; 0 without memory. */
int library_renew(spin_self *self);

/* Frees it. */
void library_close(spin_self *self);

#endif
