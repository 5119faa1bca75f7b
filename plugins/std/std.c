// The effects that come with spinhost. They are a plugin on the public ABI and use nothing else of the host.
#include "std.h"
#include "StandardPlugin.h"

SPIN_PLUGIN("std", "1.0.0");

// The text has a size and is not C text, so that a NUL in it is printed, too.
static spin_status print(spin_string text) {
    const spin_output_service *output = spin_service(SPIN_OUTPUT_SERVICE);
    if (!output)
        return SPIN_WITHOUT_SERVICE;
    return output->print(spin_current_host(), text.data, text.size);
}
SPIN_EFFECT_CHECKED(spin_status, print, (spin_string text), "Prints `text` as one line of the app's output.",
                    "result < 0");

const struct spin_plugin_info *spin_std_info(void) { return &spin_plugin_info; }

#define EFFECTS(each)                                                                                        \
    each(after) each(every) each(exec) each(exec_input) each(follow) each(lines) each(print) each(signal)
#define EMITTERS(each)                                                                                       \
    each(elapsed) each(ended) each(error_output) each(exited) each(line) each(output) each(signalled)        \
        each(ticked)

#define DECLARE_EFFECT(name) extern const spin_effect spin_effect_##name;
#define DECLARE_EMITTER(name) extern const spin_emitter spin_emitter_##name;
EFFECTS(DECLARE_EFFECT)
EMITTERS(DECLARE_EMITTER)

#define EFFECT_ADDRESS(name) &spin_effect_##name,
const spin_effect *const *spin_std_effects(void) {
    static const spin_effect *const effects[] = {EFFECTS(EFFECT_ADDRESS) NULL};
    return effects;
}

#define EMITTER_ADDRESS(name) &spin_emitter_##name,
const spin_emitter *const *spin_std_emitters(void) {
    static const spin_emitter *const emitters[] = {EMITTERS(EMITTER_ADDRESS) NULL};
    return emitters;
}
