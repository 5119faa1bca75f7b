// The effects that come with spinhost. They are a plugin on the public ABI and use nothing else of the host.
#include "std.h"
#include "StandardPlugin.h"

SPIN_PLUGIN("std", "1.0.0");

// The text has a size and is not C text, so that a NUL in it is printed, too.
static spin_status print(spin_string text) {
    const spin_output_service *output = spin_find_output();
    if (!output)
        return SPIN_WITHOUT_SERVICE;
    return output->print(spin_current_host(), text.data, text.size);
}
SPIN_EFFECT_CHECKED(spin_status, print, (spin_string text), "Prints `text` as one line of the app's output.",
                    "result < 0");

const struct spin_entry *spin_std_entry(void) { return &spin_entry; }
