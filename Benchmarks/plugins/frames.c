#include <spinhost/plugin.h>

SPIN_PLUGIN("frames", "1.0.0");
SPIN_EMITTER(frame, (spin_bytes, bytes));

static void give(spin_call *call, uint64_t size) {
    uint8_t *bytes = spin_buffer_alloc(size);
    frame(call, (spin_bytes){bytes, size});
    spin_buffer_release(bytes);
    spin_finish(call);
}
SPIN_EFFECT(void, give, (spin_call * call, uint64_t size), "Emits `frame` with `size` bytes.");
