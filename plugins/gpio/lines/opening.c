// How the lines of calls of `edges` are found and requested.
#include "../instance.h"
#include "../job.h"
#include "handover.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

// Finds the lines of a call, or says why not.
static bool find_lines(spin_self *self, struct job *job, struct line_set *set, char reason[most_reason]) {
    for (size_t i = 0; i < job->count; i++) {
        uint32_t *offset = &set->offsets[i];
        if (!chip_line(&self->chip, job->names[i], offset, reason))
            return false;
        for (size_t earlier = 0; earlier < i; earlier++)
            if (set->offsets[earlier] == *offset) {
                snprintf(reason, most_reason, "the line `%.*s` is named twice", (int)job->names[i].size,
                         job->names[i].data);
                return false;
            }
        if (outputs_at(self, *offset)) {
            snprintf(reason, most_reason, "the line `%.*s` is an output", (int)job->names[i].size,
                     job->names[i].data);
            return false;
        }
    }
    set->count = (uint32_t)job->count;
    return true;
}

// The watch that the same run has had before, with the same lines.
static struct watch *left_by(spin_self *self, const struct job *job, const struct line_set *set) {
    for (struct watch *watch = self->watches; watch; watch = watch->next)
        if (!watch->job && job->base.key[0] && strcmp(job->base.key, watch->state.key) == 0 &&
            watch->state.set.count == set->count &&
            memcmp(set->offsets, watch->state.set.offsets, set->count * sizeof *set->offsets) == 0)
            return watch;
    return NULL;
}

// Opens the lines of a watch with a call, or says why not. 0 if the call has failed and the watch is freed.
static bool open_lines(spin_self *self, struct watch *watch) {
    char reason[most_reason];
    int error = -watch_open(self, watch);
    if (error == 0) {
        handover_renew(self);
        return true;
    }
    if (error == ENODEV) {
        chip_lose(self, error);
        return true;
    }
    uint32_t which = 0;
    struct gpio_v2_line_info info;
    // The kernel does not say which of the lines is in use.
    for (uint32_t i = 0; error == EBUSY && i < watch->state.set.count; i++)
        if (kernel_line(self->chip.source.descriptor, watch->state.set.offsets[i], &info) == 0 &&
            info.flags & GPIO_V2_LINE_FLAG_USED)
            which = i;
    char name[most_lines];
    snprintf(name, sizeof name, "%.*s", (int)watch->job->names[which].size, watch->job->names[which].data);
    if (chip_line_error(&self->chip, watch->state.set.offsets[which], name, error, reason) == REFUSED) {
        engine_call_fail(&watch->job->base, SPIN_FAILED, reason);
        watch->job = NULL;
        watches_remove(self, watch);
        return false;
    }
    if (strcmp(watch->reason, reason) != 0)
        spin_log(watch->job->base.call, SPIN_LOG_WARNING, reason);
    memcpy(watch->reason, reason, most_reason);
    self->chip.due = spin_monotonic() + self->config->reopen;
    return true;
}

// Finds and opens the lines of a watch with a call, which fails if the chip cannot have them.
static bool begin_lines(spin_self *self, struct watch *watch) {
    char reason[most_reason];
    struct line_set set = {0};
    bool is_found = find_lines(self, watch->job, &set, reason);
    for (uint32_t i = 0; is_found && i < set.count; i++)
        is_found = watches_yield(self, set.offsets[i], reason);
    if (is_found) {
        watch->state.set = set;
        return open_lines(self, watch);
    }
    engine_call_fail(&watch->job->base, SPIN_BAD_VALUE, reason);
    watch->job = NULL;
    watches_remove(self, watch);
    return false;
}

void watches_begin(spin_self *self, struct job *job) {
    char reason[most_reason];
    struct line_set set = {0};
    bool is_open = self->chip.source.descriptor >= 0;
    watches_sweep(self);
    struct watch *watch = is_open && find_lines(self, job, &set, reason) ? left_by(self, job, &set) : NULL;
    if (watch) {
        watch->job = job;
        watch->due = INT64_MAX;
        return;
    }
    watch = watches_make(self);
    if (!watch) {
        engine_call_fail(&job->base, SPIN_FULL, "the plugin holds as many inputs as it can");
        return;
    }
    watch->job = job;
    watch->state.has_edges = true;
    memcpy(watch->state.key, job->base.key, sizeof job->base.key);
    memcpy(watch->reason, self->chip.reason, most_reason);
    watches_add(self, watch);
    if (is_open && !begin_lines(self, watch))
        return;
    if (watch->source.descriptor < 0)
        watch->changes = 2;
    watch->told = watch->changes - 1;
}

// A watch with a call whose lines are not open and that was not tried; NULL without one.
static struct watch *next_to_take(spin_self *self) {
    struct watch *watch = self->watches;
    while (watch && (!watch->job || watch->source.descriptor >= 0 || watch->is_tried))
        watch = watch->next;
    return watch;
}

void watches_take(spin_self *self) {
    for (struct watch *watch = self->watches; watch; watch = watch->next)
        watch->is_tried = false;
    // To open one can free others.
    for (struct watch *watch; self->chip.source.descriptor >= 0 && (watch = next_to_take(self));) {
        watch->is_tried = true;
        if (watch->state.set.count > 0)
            open_lines(self, watch);
        else
            begin_lines(self, watch);
    }
}
