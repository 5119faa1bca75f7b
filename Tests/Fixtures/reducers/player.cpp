// The same loop from C++: a reducer alone, and an effect that emits.
#include "player.h"

SPIN_PLUGIN("player", "1.0.0");

namespace {
spin_status play(player_state &state, const player_event &event) {
    switch (event.tag) {
    case PLAYER_EVENT_TURNED:
        state.volume += event.as.turned.by;
        return SPIN_OK;
    case PLAYER_EVENT_ENDED:
        state.done = true;
        return SPIN_OK;
    default:
        return SPIN_UNHANDLED;
    }
}
} // namespace

static spin_status reduce(spin_reduction *, player_state *state, const player_event *event) {
    return play(*state, *event);
}
SPIN_REDUCER(reduce, player_state, player_event, "");

static void script(spin_call *call) {
    player_event_turned up{};
    up.by = 4;
    player_emit_turned(call, &up);
    player_emit_ended(call);
    spin_finish(call);
}
SPIN_EFFECT(void, script, (spin_call * call), "");

static int64_t loudness(const player_state *state) { return state->volume; }
SPIN_EFFECT(int64_t, loudness, (const player_state *state), "");
