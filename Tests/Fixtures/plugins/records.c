// Structs, lists and optionals as parameters, results and emissions. Valid C11 and C++17.
#include <spinhost/plugin.h>
#include <stdlib.h>
#include <string.h>

SPIN_PLUGIN("records", "1.0.0");

SPIN_RECORD(point, (double, x), (double, y));
SPIN_RECORD(track, (spin_string, name), (spin_list_point, points), (spin_optional_point, best),
            (int16_t, codes[3]));

SPIN_EMITTER(placed, (point, at));
SPIN_EMITTER(measured, (spin_list_point, points), (spin_optional_point, best));
SPIN_EMITTER(tracked, (spin_list_track, tracks), (spin_list_string, names), (spin_optional_string, note),
             (spin_list_bool, flags), (spin_optional_int32_t, code));

static const spin_string no_text = {NULL, 0};

static spin_string text(const char *characters) {
    spin_string text = {characters, strlen(characters)};
    return text;
}

static spin_status emit_place(spin_call *call, point at) { return placed(call, at); }
SPIN_EFFECT(int32_t, emit_place, (spin_call *call, point at), "");

// Emits `count` points, and the last one as the best.
static spin_status emit_points(spin_call *call, uint64_t count) {
    point *points = (point *)calloc(count + 1, sizeof *points);
    for (uint64_t i = 0; i < count; i++)
        points[i].x = (double)i, points[i].y = -(double)i;
    spin_list_point list = {count ? points : NULL, count};
    spin_optional_point best = {(uint8_t)(count ? 2 : 0), points[count ? count - 1 : 0]};
    spin_status status = measured(call, list, best);
    memset(points, 0xFF, (count + 1) * sizeof *points);
    free(points);
    return status;
}
SPIN_EFFECT(int32_t, emit_points, (spin_call *call, uint64_t count), "");

// Emits two tracks with what they refer to, then overwrites it. `change` makes a mistake, or none.
static spin_status emit_tracks(spin_call *call, int32_t change) {
    char name[] = "first", other[] = "second", more[] = "note";
    point points[] = {{1, 2}, {3, 4}};
    track tracks[2];
    memset(tracks, 0, sizeof tracks);
    tracks[0].name = text(name);
    tracks[0].points.items = points;
    tracks[0].points.count = 2;
    tracks[0].codes[0] = 7;
    tracks[0].codes[2] = -7;
    tracks[1].name = text(other);
    tracks[1].best.has = 1;
    tracks[1].best.value.x = 5;
    spin_string names[] = {text(name), no_text, text(other)};
    spin_list_track list = {tracks, 2};
    spin_list_string texts = {names, 3};
    spin_optional_string note = {1, text(more)};
    const uint8_t strange[] = {0, 1, 7};
    spin_list_bool flags;
    memset(&flags, 0, sizeof flags);
    const void *bytes = strange;
    memcpy(&flags.items, &bytes, sizeof bytes);
    flags.count = sizeof strange;
    spin_optional_int32_t code = {0, -1};
    if (change == 1)
        tracks[1].name.data = "a\xFF";
    if (change == 2)
        tracks[1].points.count = 3;
    if (change == 3)
        tracks[0].points.count = SIZE_MAX / 4;
    if (change == 4)
        names[1].size = 1;
    if (change == 5)
        note.value.data = NULL;
    if (change == 6)
        note.has = 0, note.value.data = (const char *)8, note.value.size = 1;
    if (change == 7)
        list.items = (const track *)16;
    if (change == 8)
        tracks[1].points.items = (const point *)16, tracks[1].points.count = 1;
    if (change == 9)
        note.value.data = (const char *)16;
    spin_status status = tracked(call, list, texts, note, flags, code);
    memset(tracks, 0xFF, sizeof tracks);
    memset(points, 0xFF, sizeof points);
    memset(name, '!', strlen(name));
    memset(other, '!', strlen(other));
    memset(more, '!', strlen(more));
    return status;
}
SPIN_EFFECT(int32_t, emit_tracks, (spin_call *call, int32_t change), "");

static double sum(spin_list_point points, spin_optional_point more) {
    double sum = more.has ? more.value.x + more.value.y : 0;
    for (size_t i = 0; i < points.count; i++)
        sum += points.items[i].x + points.items[i].y;
    return sum;
}
SPIN_EFFECT(double, sum, (spin_list_point points, spin_optional_point more), "");

static point middle(point a, point b) {
    point middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
    return middle;
}
SPIN_EFFECT(point, middle, (point a, point b), "");

static double length(const track *track, const point more[2]) {
    return (double)track->points.count + (double)track->name.size + more[1].y;
}
SPIN_EFFECT(double, length, (const track *track, const point more[2]), "");

static track last(spin_list_track tracks) {
    track none;
    memset(&none, 0, sizeof none);
    return tracks.count ? tracks.items[tracks.count - 1] : none;
}
SPIN_EFFECT(track, last, (spin_list_track tracks), "");

static track broken(void) {
    track broken;
    memset(&broken, 0, sizeof broken);
    broken.points.count = 1;
    return broken;
}
SPIN_EFFECT(track, broken, (void), "");

static spin_optional_double ratio(int32_t a, int32_t b) {
    spin_optional_double ratio = {(uint8_t)(b != 0), b ? (double)a / b : 0};
    return ratio;
}
SPIN_EFFECT(spin_optional_double, ratio, (int32_t a, int32_t b), "");

static spin_list_string words(spin_optional_string first) {
    static spin_string words[2];
    spin_list_string list = {words, 2};
    words[0] = first.has ? first.value : text("none");
    words[1] = text("end");
    return list;
}
SPIN_EFFECT(spin_list_string, words, (spin_optional_string first), "");

static void mirror(point from, point *to) {
    to->x = from.y;
    to->y = from.x;
}
SPIN_EFFECT(void, mirror, (point from, point *to), "");
