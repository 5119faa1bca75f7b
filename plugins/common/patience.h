// How long a client waits before it connects again.
#ifndef COMMON_PATIENCE_H
#define COMMON_PATIENCE_H

#include <spinhost/plugin.h>

/* After how long, in nanoseconds, a connection counts as one that holds. */
#define SHORTEST_HOLD INT64_C(10000000000)

/* The wait after so many failures, one after the other: `least`, then twice as long each time, at most `most`. Each is
 * shorter by a random part, up to a half: clients that were lost at once must not come back at once. */
spin_duration patience(spin_duration least, spin_duration most, unsigned failures);

#endif
