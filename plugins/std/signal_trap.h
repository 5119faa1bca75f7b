// Signals to the process, as counts on event descriptors.
#ifndef STD_SIGNAL_TRAP_H
#define STD_SIGNAL_TRAP_H

#include "std.h"

/* From now on the signal adds one to `descriptor`, an eventfd, in place of its former action. Returns the
 * place of this listener, or -1 when there are too many listeners. */
int signal_listen(int number, int descriptor);

/* Removes a listener. With the last one the signal gets its former action back. The descriptor may be closed
 * when this has returned. The calling thread must block all signals. */
void signal_ignore(int number, int place);

#endif
