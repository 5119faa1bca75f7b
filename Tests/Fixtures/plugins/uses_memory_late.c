// An effect that uses the memory of its call until it returns, also when it was cancelled before.
#include <spinhost/plugin.h>
#include <stdlib.h>
#include <string.h>

SPIN_PLUGIN("uses_memory_late", "1.0.0");

enum { size = 64, looks = 100000 };

static void hold(spin_call *call) {
    unsigned char *block = spin_call_alloc(call, size), wanted[size];
    if (!block)
        return;
    memset(wanted, 7, size);
    memcpy(block, wanted, size);
    for (int i = 0; i < looks && !spin_cancelled(call); i++)
        ;
    for (int i = 0; i < looks; i++)
        if (memcmp(block, wanted, size) != 0)
            abort();
    spin_finish(call);
}
SPIN_EFFECT(void, hold, (spin_call *call), "Emits nothing.");
