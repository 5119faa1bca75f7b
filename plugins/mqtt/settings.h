// Checks of settings and arguments.
#ifndef MQTT_SETTINGS_H
#define MQTT_SETTINGS_H

#include "mqtt.h"
#include "../common/place.h"

/* Reads the place of the broker; NULL, or why a setting is not valid. */
const char *settings_read(const spin_config *config, struct place *place);

/* NULL, or why messages cannot have this topic. */
const char *topic_fault(spin_string topic);

/* The topic of a filter: `$share/GROUP/TOPIC` shares its messages among the clients of the group. */
const char *filter_topic(const char *filter);

/* NULL, or why calls cannot subscribe to this filter. */
const char *filter_fault(spin_string filter);

#endif
