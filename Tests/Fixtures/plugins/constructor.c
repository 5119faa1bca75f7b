// Calls the host before the host has introduced itself.
#include <spinhost/plugin.h>

SPIN_PLUGIN("constructor", "1.0.0");
SPIN_EMITTER(early, (int64_t, n));

static spin_status seen[4];

static __attribute__((constructor)) void begin(void) {
    seen[0] = early((spin_call *)(uintptr_t)0x1000001, 1);
    seen[1] = spin_finish((spin_call *)(uintptr_t)0x1000001);
    seen[2] = spin_print("early");
    seen[3] = spin_service(SPIN_CLOCK_SERVICE) ? SPIN_OK : SPIN_NO_HOST;
}

static int32_t seen_at(int32_t index) { return seen[index & 3]; }
SPIN_EFFECT(int32_t, seen_at, (int32_t index), "What the constructor was answered.");
