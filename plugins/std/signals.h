// The implementation of `signal`.
#ifndef STD_SIGNALS_H
#define STD_SIGNALS_H

#include "std.h"

/* Emits `signalled` for each signal of that name until the call is cancelled. */
void signal_start(spin_call *call, const char *name);

#endif
