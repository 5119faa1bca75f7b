// Calls of the effects for answers whose bodies come in parts.
#ifndef SERVE_TEST_PARTS_H
#define SERVE_TEST_PARTS_H

#include "world.h"

/* A client whose request waits, and the request's name. */
int ask_for_stream(spin_self *self, char *name);

/* A call of `stream`, and one of `deliver`. */
spin_call *begin(spin_self *self, const char *id, int32_t status);
spin_call *deliver(spin_self *self, const char *id, const char *part);

/* Sends a part to an answer, and ends one; how the call ended. */
const char *push(spin_self *self, const char *id, const char *part);
const char *finish(spin_self *self, const char *id);

/* Sends a part to two answers; how the call ended. */
const char *push_both(spin_self *self, const char *first, const char *second, const char *part);

#endif
