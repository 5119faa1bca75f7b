#include "../instance.h"
#include "../job.h"
#include <string.h>

SPIN_EMITTER(edge, (spin_string, line), (spin_string, edge), (spin_timestamp, time));
SPIN_EMITTER(lost, (int64_t, count));
SPIN_EMITTER(opened, (spin_string, chip));
SPIN_EMITTER(closed, (spin_string, reason));

static spin_string text(const char *text) { return (spin_string){text, strlen(text)}; }

static spin_status emit_change(spin_self *self, struct watch *watch) {
    if ((watch->told + 1) % 2 == 1)
        return spin_wait_opened(watch->job->base.call, self->config->chip, 0);
    // The reason of the last change, if several have waited.
    return spin_wait_closed(watch->job->base.call, text(watch->reason), 0);
}

// Counts the events between the last one and this one, which the kernel has dropped. An event that comes after a later
// one is counted already.
static void count_lost(struct watch_state *state, const struct gpio_v2_line_event *event) {
    int32_t step = (int32_t)(event->seqno - state->sequence);
    if (step <= 0)
        return;
    state->lost += step - 1;
    state->sequence = event->seqno;
}

static spin_status emit_edge(struct watch *watch, const struct gpio_v2_line_event *event) {
    uint32_t index = 0;
    // The kernel reports lines of the request alone. An event of another one would have no name.
    if (!watch_has(watch, event->offset, &index))
        return SPIN_OK;
    spin_string edge = text(event->id == GPIO_V2_LINE_EVENT_RISING_EDGE ? "rising" : "falling");
    return spin_wait_edge(watch->job->base.call, watch->job->names[index], edge,
                          (spin_timestamp)event->timestamp_ns, 0);
}

void watch_emit(spin_self *self, struct watch *watch) {
    struct watch_state *state = &watch->state;
    struct job *job = watch->job;
    while (job && lasting_can_emit(&job->base.lasting)) {
        // The kernel has the events of an open request only, so a change comes before them.
        if (watch->told != watch->changes) {
            if (engine_call_continues(&job->base, emit_change(self, watch)))
                watch->told++;
            continue;
        }
        if (state->begin == state->end)
            return;
        const struct gpio_v2_line_event *event = &state->batch[state->begin];
        count_lost(state, event);
        if (state->lost > 0) {
            if (engine_call_continues(&job->base, spin_wait_lost(job->base.call, state->lost, 0)))
                state->lost = 0;
        } else if (engine_call_continues(&job->base, emit_edge(watch, event))) {
            state->begin++;
        }
    }
}
