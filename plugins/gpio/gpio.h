// Each file of the plugin includes this first.
#ifndef GPIO_H
#define GPIO_H

// For names of errors. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>
#include <stdbool.h>

SPIN_CONFIG((spin_string, chip, SPIN_REQUIRED, "The path, the name or the label of the chip."),
            (spin_list_string, outputs, {}, "The lines that the app sets, by name or number."),
            (spin_list_string, initially_active, {}, "The outputs that are active when the app starts."),
            (spin_list_string, active_low, {}, "The lines that are active when they are low."),
            (spin_string, bias, "as-is", "Of inputs: `as-is`, `pull-up`, `pull-down` or `disabled`."),
            (spin_string, drive, "push-pull", "Of outputs: `push-pull`, `open-drain` or `open-source`."),
            (spin_duration, debounce, "0s", "0s", "60s", "How long an input must be stable to count as changed."),
            (spin_string, consumer, "spinhost", "The name of the app in the lists of other programs."),
            (spin_duration, reopen, "1s", "10ms", "24h",
             "How long until the plugin tries again to get a chip or a line that it lacks."));

/* The most lines of a call, and the most outputs: what the kernel allows for a request. */
enum { most_lines = 64 };

enum { most_reason = 512 };

/* What getting a chip or a line has come to. After a MISSING, a later try may get it; REFUSED means that the settings
 * or the arguments do not fit it. */
enum result { GOT, MISSING, REFUSED };

#endif
