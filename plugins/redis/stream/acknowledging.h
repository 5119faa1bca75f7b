// How entries are acknowledged: over the connection for commands, as that of a stream waits for new entries.
#ifndef REDIS_ACKNOWLEDGING_H
#define REDIS_ACKNOWLEDGING_H

#include "stream.h"

/* Begins a call of `acknowledge`, or fails it. */
void acknowledging_begin(spin_self *self, struct job *job);

/* Sends an acknowledgement of all entries that are done, if it can. */
void acknowledging_send(struct stream *stream);

/* Does so for all streams, over a connection that has come up. */
void acknowledging_send_all(spin_self *self);

/* Has it wait before it sends again, longer after each failure. */
void acknowledging_wait(struct stream *stream);

/* The server has answered, or the connection is lost. */
void acknowledging_answer(struct stream *stream, const struct reply *reply);
void acknowledging_is_lost(struct stream *stream);

/* The server gives an entry as a new one: it has forgotten the earlier time, so the calls for that are done. */
void acknowledging_is_new(struct stream *stream, struct entry *entry);

/* Lets go of calls that are over. */
void acknowledging_sweep(struct stream *stream);

/* Lets go of all calls, and of the request: the stream ends. */
void acknowledging_forget(struct stream *stream);

#endif
