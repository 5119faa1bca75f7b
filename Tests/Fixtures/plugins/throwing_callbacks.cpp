// Callbacks that throw on threads of the host.
#include <spinhost/plugin.h>
#include <stdexcept>

SPIN_PLUGIN("throwing", "1.0.0");

static void throw_it(void *) { throw std::runtime_error("cancelled badly"); }
static void throw_due(void *, uint64_t) { throw std::runtime_error("due badly"); }

static int32_t throw_on_cancel(spin_call *call) { return spin_on_cancel(call, throw_it, nullptr); }
SPIN_EFFECT(int32_t, throw_on_cancel, (spin_call *call), "");
static int32_t throw_on_timer(spin_call *call) {
    return spin_timer_start(call, 1, 0, throw_due, nullptr, nullptr, nullptr);
}
SPIN_EFFECT(int32_t, throw_on_timer, (spin_call *call), "");
