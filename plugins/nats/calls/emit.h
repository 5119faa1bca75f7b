// What calls emit. The results are those of spin_emit.
#ifndef NATS_EMIT_H
#define NATS_EMIT_H

#include "../call.h"

/* A message, as the effect of the call emits it. A part of it may be missing: SPIN_BAD_VALUE. */
spin_status emit_message(struct call *call, const struct message *message);

spin_status emit_missed(struct call *call, int64_t count);
spin_status emit_unavailable(struct call *call);

#endif
