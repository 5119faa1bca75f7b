// Signals to the process, as counts on event descriptors.
#ifndef STD_SIGNAL_TRAP_H
#define STD_SIGNAL_TRAP_H

#include "std.h"

/* From now on the signal adds one to `descriptor`, an eventfd, instead of what it did. Answers the place of this
 * listener, or -1 when there are too many of them. */
int signal_listen(int number, int descriptor);

/* Ends that; the last listener's end gives the signal back what it did before. The descriptor may be closed when
 * this has returned. Not in a thread that signals are delivered to. */
void signal_ignore(int number, int place);

#endif
