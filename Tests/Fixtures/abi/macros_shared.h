// What both files of the plugin include.
#include <spinhost/plugin.h>

SPIN_EMITTER(shared, (int32_t, value));
SPIN_RECORD(place, (double, x), (int8_t, marks[3]));

spin_status emit_from_second(spin_call *call, int32_t value);
