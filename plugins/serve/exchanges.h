// The requests that wait, in their order, and by their names also those whose answers are streams. The caller of each
// function but exchange_name holds `turn`.
#ifndef SERVE_EXCHANGES_H
#define SERVE_EXCHANGES_H

#include "server.h"

/* The room for the name of a request: the nonce, a hyphen, and a number. */
enum { exchange_name_size = 40 };
void exchange_name(const struct exchange *exchange, char *name);

/* A request begins to wait. */
void exchanges_add(struct exchange *exchange);

/* It has an answer, and waits no longer. With a stream it keeps its name. */
void exchanges_end_wait(struct exchange *exchange);

/* It is over, in whichever state. */
void exchanges_remove(struct exchange *exchange);

/* The request of that name that waits, and the one whose answer is a stream; NULL without one. */
struct exchange *exchanges_waiting(spin_self *self, spin_string name);
struct exchange *exchanges_streaming(spin_self *self, spin_string name);

/* What a call says that finds no request that waits. */
extern const char no_such_request[];

/* The stream with this number; NULL without one. */
struct exchange *exchanges_numbered_stream(spin_self *self, uint64_t number);

#endif
