// Where the broker is.
#ifndef MQTT_PLACE_H
#define MQTT_PLACE_H

#include "mqtt.h"

struct place {
    int has_tls;
    char host[256]; /* a name or an address, without brackets */
    char port[6];
};

/* Reads `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`; 0 if the text is neither. */
int place_read(spin_string text, struct place *place);

#endif
