#include "references.h"

bool reference_expression(const struct reference_expression_state *state,
                          const struct reference_expression_event *event) {
    return state->a * 2 + event->b > 10 && !state->off;
}

int64_t reference_expression_loop(bool (*function)(const struct reference_expression_state *,
                                                   const struct reference_expression_event *),
                                  int64_t count) {
    struct reference_expression_state state = {.a = 0, .off = false};
    struct reference_expression_event event = {.b = 3};
    int64_t held = 0;
    for (int64_t index = 0; index < count; index++) {
        state.a = index & 7;
        held += function(&state, &event);
    }
    return held;
}
