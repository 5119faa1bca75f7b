// The commands that a connection with other calls must not have.
#ifndef REDIS_REFUSAL_H
#define REDIS_REFUSAL_H

#include "link/request.h"

/* Why the plugin refuses a command; NULL if it does not. */
const char *refusal_of_command(const struct words *words);

#endif
