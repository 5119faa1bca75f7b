// A plugin with settings, and effects that take its instance.
#include <spinhost/plugin.h>
#include <stdlib.h>

SPIN_PLUGIN("settings", "1.0.0");
SPIN_CONFIG((spin_string, device, SPIN_REQUIRED, "where it is, such as `/dev/ttyS0`"),
            (int32_t, rate, 9600, 300, 115200, "Baud."), (uint8_t, level, SPIN_REQUIRED, ""),
            (double, factor, 1.5, 0, 2.5, "A factor."), (spin_duration, wait, "5s", "1ms", "1h", "How long."),
            (spin_timestamp, since, "2026-01-01T00:00:00Z", ""), (spin_bytes, key, "", "A secret."),
            (spin_list_string, names, {}, ""), (spin_secret, code, {}, "A code."));

struct spin_self {
    int32_t unused;
};

static spin_self *create(spin_call *call, const spin_config *config) {
    (void)call, (void)config;
    return calloc(1, sizeof(spin_self));
}
static void destroy(spin_self *self) { free(self); }
SPIN_INSTANCE(create, destroy);

static double measure(spin_self *self, int32_t channel) { return (void)self, channel; }
SPIN_EFFECT(double, measure, (spin_self *self, int32_t channel), "");
