// The effects that come with spinhost, as a plugin on the public ABI and nothing else.
#ifdef SWIFT_PACKAGE
// Linked into the host's executable, which exports nothing.
#define SPIN_EXPORT __attribute__((visibility("hidden")))
#endif

#include "StandardPlugin.h"
#include <stdlib.h>

SPIN_PLUGIN("std", "1.0.0");

SPIN_EMITTER(ticked, (int64_t, count));

// What one call of `every` needs while its timer runs; the timer releases it.
struct every {
    spin_call *call;
    int64_t count;
};

static void every_due(void *context, uint64_t expirations) {
    struct every *every = context;
    every->count += (int64_t)expirations;
    // Dropped when the loop cannot take it, which the host counts; the next count shows the gap.
    (void)ticked(every->call, every->count);
}

static void every(spin_call *call, spin_duration interval) {
    if (interval <= 0) {
        spin_fail(call, SPIN_BAD_VALUE, "the interval of `every` must be longer than zero");
        return;
    }
    struct every *context = malloc(sizeof *context);
    if (!context) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory for a timer");
        return;
    }
    *context = (struct every){.call = call, .count = 0};
    spin_status status = spin_timer_start(call, interval, interval, every_due, context, free, NULL);
    if (status != SPIN_OK) {
        free(context);
        spin_fail(call, status, "the host did not start a timer");
    }
}
SPIN_EFFECT(void, every, (spin_call *call, spin_duration interval),
            "Emits `ticked` each time `interval` has passed, first after one interval, until it is cancelled; "
            "`count` is the number of intervals since the start.");

// With a size rather than as C text, so that a NUL is printed as it is.
static spin_status print(spin_string text) {
    const spin_output_service *output = spin_service(SPIN_OUTPUT_SERVICE);
    if (!output)
        return SPIN_WITHOUT_SERVICE;
    return output->print(spin_current_host(), text.data, text.size);
}
SPIN_EFFECT_CHECKED(spin_status, print, (spin_string text), "Prints `text` as one line of the app's output.",
                    "result < 0");

const struct spin_plugin_info *spin_std_info(void) { return &spin_plugin_info; }

const spin_effect *const *spin_std_effects(void) {
    static const spin_effect *const effects[] = {&spin_effect_every, &spin_effect_print, NULL};
    return effects;
}

const spin_emitter *const *spin_std_emitters(void) {
    static const spin_emitter *const emitters[] = {&spin_emitter_ticked, NULL};
    return emitters;
}
