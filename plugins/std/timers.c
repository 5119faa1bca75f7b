// `every` and `after`: the passing of time.
#include "std.h"
#include <stdlib.h>

SPIN_EMITTER(ticked, (int64_t, count));
SPIN_EMITTER(elapsed);

// The data of one call while its timer runs. The timer releases it.
struct timing {
    spin_call *call;
    int64_t count;
};

// Starts a timer with a context of its own, or says why the call failed.
static void start(spin_call *call, spin_duration first, spin_duration interval,
                  void (*due)(void *context, uint64_t expirations)) {
    struct timing *timing = malloc(sizeof *timing);
    if (!timing) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory for a timer");
        return;
    }
    *timing = (struct timing){.call = call, .count = 0};
    spin_status status = spin_timer_start(call, first, interval, due, timing, free, NULL);
    if (status != SPIN_OK) {
        free(timing);
        spin_fail(call, status, "the host did not start a timer");
    }
}

static void every_due(void *context, uint64_t expirations) {
    struct timing *timing = context;
    timing->count += (int64_t)expirations;
    // When the mailbox is full the host drops this event and counts the drop. The next count shows the gap.
    (void)ticked(timing->call, timing->count);
}

static void every(spin_call *call, spin_duration interval) {
    if (interval <= 0) {
        spin_fail(call, SPIN_BAD_VALUE, "the interval of `every` must be longer than zero");
        return;
    }
    start(call, interval, interval, every_due);
}
SPIN_EFFECT(void, every, (spin_call *call, spin_duration interval),
            "Emits `ticked` each time `interval` has passed, first after one interval, until it is cancelled; "
            "`count` is the number of intervals since the start.");

static void emit_elapsed(void *context) {
    spin_call *call = context;
    // This is the only emission. It waits for room without a thread.
    if (elapsed(call) != SPIN_FULL || spin_on_room(call, emit_elapsed, call) != SPIN_OK)
        spin_finish(call);
}

static void after_due(void *context, uint64_t expirations) {
    (void)expirations;
    emit_elapsed(((struct timing *)context)->call);
}

static void after(spin_call *call, spin_duration delay) {
    if (delay < 0) {
        spin_fail(call, SPIN_BAD_VALUE, "the delay of `after` must not be negative");
        return;
    }
    start(call, delay, 0, after_due);
}
SPIN_EFFECT(void, after, (spin_call *call, spin_duration delay), "Emits `elapsed` once, when `delay` has passed.");
