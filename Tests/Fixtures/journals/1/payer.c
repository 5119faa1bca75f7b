#include <stdio.h>
#include <spinhost/plugin.h>
SPIN_PLUGIN("payer", "1.1");
SPIN_EMITTER(paid, (int64_t, n));
static void pay(spin_call *call, int64_t n) {
    char key[SPIN_RUN_KEY_SIZE];
    char line[SPIN_RUN_KEY_SIZE + 40];
    if (spin_run_key(call, key, sizeof key) != SPIN_OK)
        return;
    snprintf(line, sizeof line, "%s %d", key, (int)n);
    spin_print(line);
    if (n % 2 == 0)
        return;
    paid(call, n);
    spin_finish(call);
}
SPIN_EFFECT(void, pay, (spin_call *call, int64_t n), "Says its key; emits `paid` for an odd number.");
