// What calls of `listen` emit.
#ifndef POSTGRES_TELLING_H
#define POSTGRES_TELLING_H

#include "listener.h"

/* Emits what there is, as far as the loops have room. A notification that some of its calls cannot emit is held. */
void telling_run(struct listener *listener);

/* Drops the notification that is held. */
void telling_forget(struct listener *listener);

#endif
