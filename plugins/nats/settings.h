// Checks of the settings.
#ifndef NATS_SETTINGS_H
#define NATS_SETTINGS_H

#include "nats.h"

/* Reads them into an instance; NULL, or why one of them is not valid, perhaps in `reason`. */
const char *settings_read(const spin_config *config, spin_self *self, char reason[most_reason]);

#endif
