// A reducer that handles some events and leaves others to the manifest, and an effect that emits the loop's events.
#include "player.h"

#include <string.h>

SPIN_PLUGIN("player", "1.0.0");

// One string longer list: the old elements stay where they are, the list itself is new.
static spin_status append(spin_reduction *step, player_state *state, spin_string title) {
    spin_string *items = (spin_string *)spin_alloc(step, (state->queue.count + 1) * sizeof *items);
    if (!items)
        return SPIN_NO_MEMORY;
    if (state->queue.count > 0)
        memcpy(items, state->queue.items, state->queue.count * sizeof *items);
    items[state->queue.count] = title;
    state->queue.items = items;
    state->queue.count += 1;
    return SPIN_OK;
}

static spin_status reduce(spin_reduction *step, player_state *state, const player_event *event) {
    switch (event->tag) {
    case PLAYER_EVENT_QUEUED:
        for (size_t i = 0; i < event->as.queued.titles.count; i++)
            if (append(step, state, event->as.queued.titles.items[i]) != SPIN_OK)
                return SPIN_NO_MEMORY;
        return SPIN_OK;
    case PLAYER_EVENT_TURNED:
        // Written in vain, as the event is declined.
        state->volume += event->as.turned.by;
        return event->as.turned.by < 0 ? SPIN_UNHANDLED : SPIN_OK;
    case PLAYER_EVENT_PLAYED: {
        static const spin_string nothing = {"(nothing)", 9};
        state->mode = event->as.played.mode;
        state->last.has = state->title.size > 0;
        state->last.value = state->title;
        state->title = state->queue.count > 0 ? state->queue.items[0] : nothing;
        if (state->queue.count > 0) {
            state->queue.items += 1;
            state->queue.count -= 1;
        }
        return SPIN_OK;
    }
    case PLAYER_EVENT_ENDED:
        state->done = true;
        return SPIN_OK;
    default:
        return SPIN_UNHANDLED;
    }
}
SPIN_REDUCER(reduce, player_state, player_event, "Plays the queue.");

static void script(spin_call *call) {
    const spin_string titles[] = {{"Blue", 4}, {"Gr\xC3\xBCn", 5}};
    const player_event_queued queued = {{titles, 2}};
    const player_event_turned up = {2}, down = {-1};
    const player_event_played played = {PLAYER_STATE_MODE_FOREVER};
    player_emit_queued(call, &queued);
    player_emit_turned(call, &up);
    for (int i = 0; i < 3; i++)
        player_emit_played(call, &played);
    player_emit_muted(call);
    player_emit_turned(call, &down);
    player_emit_ended(call);
    spin_finish(call);
}
SPIN_EFFECT(void, script, (spin_call *call), "Emits the events of the loop.");

static int64_t loudness(const player_state *state) { return state->muted ? 0 : state->volume; }
SPIN_EFFECT(int64_t, loudness, (const player_state *state), "How loud it is.");
