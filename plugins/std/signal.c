// `signal`. It has a file of its own because the C library has a function of that name, too.
#include "signals.h"

static void signal(spin_call *call, const char *name) { signal_start(call, name); }
SPIN_EFFECT(void, signal, (spin_call *call, const char *name),
            "Takes over a signal to the process, such as `HUP` or `USR1`, and emits `signalled` when it comes, until "
            "it is cancelled; `count` is the number since the start.");
