// What an instance hands over: the entries that are in work, and the runs whose commands the server may have done.
#ifndef REDIS_HANDOVER_H
#define REDIS_HANDOVER_H

#include "redis.h"

#define HANDOVER_SCHEMA 1

spin_status handover_save(const spin_self *self, spin_saving *saving);

/* NULL, or why it cannot restore. */
const char *handover_restore(spin_self *self, const spin_saved *saved);

#endif
