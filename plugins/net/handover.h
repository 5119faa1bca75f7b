// What an instance hands over to another one of the same process: sockets, and bytes that were not emitted.
#ifndef NET_HANDOVER_H
#define NET_HANDOVER_H

#include "net.h"

/* The schema of what it writes. */
#define HANDOVER_SCHEMA 2

spin_status handover_save(spin_self *self, spin_saving *saving);

/* NULL, or why the bytes are refused. The instance may have a part of them then. */
const char *handover_restore(spin_self *self, const spin_saved *saved);

#endif
