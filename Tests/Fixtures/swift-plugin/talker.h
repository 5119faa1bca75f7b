// What the Swift files of the plugin see, too.
#include <spinhost/plugin.h>

SPIN_CONFIG((spin_string, word, "again", "What is counted."),
            (int64_t, step, 1, 1, 1000, "How far each count goes."));
SPIN_EMITTER(counted, (const char *, word), (int64_t, count));
