// All streams of a server, for its thread.
#ifndef SERVE_STREAMS_H
#define SERVE_STREAMS_H

#include "server.h"

/* Cuts the streams whose clients have left, and at the end of the server all that are not finished. */
void streams_notice(spin_self *self);
void streams_cut(spin_self *self);

/* Ends the calls whose streams are over, and those whose parts were delivered. */
void streams_tell(spin_self *self);

#endif
