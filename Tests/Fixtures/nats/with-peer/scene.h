/* What most parts have: a server of the test, and an instance that is its client. */
#ifndef NATS_TEST_SCENE_H
#define NATS_TEST_SCENE_H

#include "peer.h"
#include "../world.h"

extern int listener, port, peer;

/* Has the server listen, at the port of the settings. */
void listen_once(void);

/* Makes an instance, which the server takes as a client; the end of both. */
spin_self *connect_once(void);
void finish(spin_self *self);

/* Makes an instance, and a call of `connection`, which has heard that there is none; the end of both. */
spin_self *watch(spin_call **connection);
void unwatch(spin_self *self, spin_call *connection);

/* Waits until that call hears this reason. */
void await_reason(spin_call *connection, const char *reason);

/* Reads a message with a reply, `PUB SUBJECT REPLY SIZE`; its data. Then sends an answer to it. */
extern char reply[128];
const char *take_message(const char *command);
void answer(const char *data);

#endif
