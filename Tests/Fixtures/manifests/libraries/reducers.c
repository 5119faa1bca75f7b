// A plugin as one is that was compiled with headers of several apps.
#include <spinhost/plugin.h>

typedef struct good_state {
    int64_t n;
} good_state;
typedef struct good_event {
    int32_t tag;
} good_event;
SPIN_EVENT(spin_event_good_0, "ended", 0);
SPIN_LOOP(good, "n i64 0 8\n\0ended\0", &spin_event_good_0, NULL);

typedef struct old_state {
    int64_t n;
    int32_t m;
} old_state;
typedef struct old_event {
    int32_t tag;
} old_event;
SPIN_EVENT(spin_event_old_0, "ended", 0);
SPIN_LOOP(old, "n i64 0 8\nm i32 8 4\n\0ended\0", &spin_event_old_0, NULL);

typedef struct bare_state {
    int64_t n;
} bare_state;
typedef struct bare_event {
    int32_t tag;
} bare_event;

SPIN_PLUGIN("reducers", "1.0.0");

static spin_status reduce(spin_reduction *step, good_state *state, const good_event *event) {
    (void)step, (void)event;
    state->n += 1;
    return SPIN_OK;
}
SPIN_REDUCER(reduce, good_state, good_event, "Counts.");

static spin_status outdated(spin_reduction *step, old_state *state, const old_event *event) {
    (void)step, (void)state, (void)event;
    return SPIN_UNHANDLED;
}
SPIN_REDUCER(outdated, old_state, old_event, "");

static spin_status bare(spin_reduction *step, bare_state *state, const bare_event *event) {
    (void)step, (void)state, (void)event;
    return SPIN_UNHANDLED;
}
SPIN_REDUCER(bare, bare_state, bare_event, "");
