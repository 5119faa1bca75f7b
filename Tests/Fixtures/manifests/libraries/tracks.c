// A plugin with structs of its own, in prototypes and emissions.
#include <spinhost/plugin.h>

SPIN_PLUGIN("tracks", "1.0.0");
SPIN_RECORD(point, (double, x), (double, y));
SPIN_RECORD(track, (spin_string, name), (spin_list_point, points), (spin_optional_point, best));
SPIN_EMITTER(measured, (spin_list_track, tracks), (spin_optional_double, length));

static point middle(point a, point b) {
    point middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
    return middle;
}
SPIN_EFFECT(point, middle, (point a, point b), "The point between `a` and `b`.");

static void measure(spin_call *call, spin_list_point points, spin_optional_point best) {
    track tracks[] = {{{"all", 3}, points, best}};
    spin_list_track list = {tracks, 1};
    spin_optional_double length = {0, 0};
    for (size_t i = 1; i < points.count; i++) {
        length.has = 1;
        length.value += points.items[i].x - points.items[i - 1].x;
    }
    measured(call, list, length);
    spin_finish(call);
}
SPIN_EFFECT(void, measure, (spin_call *call, spin_list_point points, spin_optional_point best),
            "Emits `measured`.");
