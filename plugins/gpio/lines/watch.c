#include "watch.h"
#include "../../common/lasting.h"
#include "../instance.h"
#include "../job.h"
#include "../settings.h"
#include <errno.h>
#include <stdlib.h>

struct watch *watch_make(void) {
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return NULL;
    watch->source.descriptor = -1;
    watch->source.is_watch = true;
    watch->due = INT64_MAX;
    return watch;
}

void watch_free(spin_self *self, struct watch *watch) {
    if (watch->job)
        engine_call_drop(&watch->job->base);
    source_free(self, &watch->source);
}

struct line_set watch_set(const spin_self *self, const struct watch *watch) {
    struct line_set set = watch->state.set;
    set.flags = settings_input(self->config);
    if (watch->state.has_edges)
        set.flags |= GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING |
                     GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME;
    set.debounce = settings_debounce(self->config);
    set.active_low = 0;
    for (uint32_t i = 0; i < set.count; i++)
        set.active_low |= (uint64_t)self->chip.lines[set.offsets[i]].is_active_low << i;
    return set;
}

int watch_open(spin_self *self, struct watch *watch) {
    watch->state.set = watch_set(self, watch);
    int lines = kernel_take(self->chip.source.descriptor, &watch->state.set, 0, self->config->consumer.data);
    if (lines < 0)
        return lines;
    watch->source.descriptor = lines;
    if (!source_watch(self, &watch->source, 0)) {
        int error = errno;
        source_close(self, &watch->source);
        return -error;
    }
    watch->state.sequence = 0;
    watch->changes++;
    return 0;
}

void watch_close(spin_self *self, struct watch *watch) {
    if (watch->source.descriptor < 0)
        return;
    source_close(self, &watch->source);
    watch->state.begin = watch->state.end = 0;
    watch->state.lost = 0;
    watch->changes++;
}

bool watch_has(const struct watch *watch, uint32_t offset, uint32_t *index) {
    for (uint32_t i = 0; i < watch->state.set.count; i++)
        if (watch->state.set.offsets[i] == offset) {
            *index = i;
            return true;
        }
    return false;
}

// Whether an event came before another one. Numbers begin again after the highest.
static bool is_before(const struct gpio_v2_line_event *one, const struct gpio_v2_line_event *other) {
    return (int32_t)(one->seqno - other->seqno) < 0;
}

// The kernel numbers events of several lines in their order, but may queue them in another one.
static void sort(struct gpio_v2_line_event *events, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t at = i; at > 0 && is_before(&events[at], &events[at - 1]); at--) {
            struct gpio_v2_line_event earlier = events[at];
            events[at] = events[at - 1];
            events[at - 1] = earlier;
        }
}

int watch_read(struct watch *watch) {
    struct watch_state *state = &watch->state;
    if (state->begin < state->end)
        return 0;
    int count = kernel_read(watch->source.descriptor, state->batch, batch_size);
    state->begin = 0;
    state->end = count > 0 ? (uint32_t)count : 0;
    sort(state->batch, state->end);
    return count < 0 ? count : 0;
}

bool watch_wants(const struct watch *watch) {
    return watch->job && lasting_can_emit(&watch->job->base.lasting) && watch->state.has_edges;
}
