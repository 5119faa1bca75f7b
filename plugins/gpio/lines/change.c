#include "change.h"
#include "handover.h"
#include "../kernel/find.h"
#include "../instance.h"
#include "../settings.h"
#include <stdio.h>
#include <string.h>

// Sets lines in another way, if it is one, or leaves them as they are; 0 or a negative error number. Outputs have the
// level `before`, and get the other one.
static int change(int lines, struct line_set *set, const struct line_set *wanted, bool before, bool level) {
    if (memcmp(set, wanted, sizeof *set) == 0)
        return 0;
    int result = kernel_change(lines, wanted, level);
    if (result >= 0)
        *set = *wanted;
    else
        kernel_change(lines, set, before); // The kernel may have done a part of it.
    return result;
}

static int change_output(spin_self *self, struct output *output) {
    struct line_set wanted = outputs_set(self, output->set.offsets[0]);
    // What the line drives stays, so the level is another one when the line is active at the other voltage.
    bool level = output->level ^ (output->set.active_low != wanted.active_low);
    int result = change(output->source.descriptor, &output->set, &wanted, output->level, level);
    if (result >= 0)
        output->level = level;
    return result;
}

bool change_held(spin_self *self, char reason[most_reason]) {
    int result = 0;
    for (struct output *output = self->outputs; output && result >= 0; output = output->next)
        if (output->source.descriptor >= 0)
            result = change_output(self, output);
    for (struct watch *watch = self->watches; watch && result >= 0; watch = watch->next) {
        struct line_set wanted = watch_set(self, watch);
        if (watch->source.descriptor >= 0)
            result = change(watch->source.descriptor, &watch->state.set, &wanted, false, false);
    }
    if (result < 0)
        snprintf(reason, most_reason, "`%.32s` does not take over the settings of its lines: %s",
                 self->chip.info.name, error_text(-result));
    return result >= 0;
}

// Whether the lines of new outputs are free of calls of `edges`; lets go of them with `yields`.
static bool are_free(spin_self *self, struct output *made, bool yields, char reason[most_reason]) {
    uint32_t index;
    for (struct output *output = made; output; output = output->next) {
        struct watch *watch = watches_find(self, output->set.offsets[0], &index);
        if (watch && watch->job) {
            snprintf(reason, most_reason, "setting `outputs`: a call of `edges` has the line `%s`",
                     output->name);
            return false;
        }
        if (watch && yields)
            watches_yield(self, output->set.offsets[0], reason);
    }
    return true;
}

// Whether the open chip can have the settings.
static bool fits(spin_self *self, const spin_config *config, struct output *made, char reason[most_reason]) {
    char ignored[most_reason];
    const spin_config *before = self->config;
    watches_sweep(self);
    if (!outputs_find(self, made, reason) || !are_free(self, made, false, reason) ||
        !chip_mark(self, config->active_low, reason))
        return false;
    self->config = config;
    if (change_held(self, reason))
        return true;
    self->config = before;
    chip_mark(self, before->active_low, ignored);
    change_held(self, ignored);
    return false;
}

bool change_settings(spin_self *self, const spin_config *config, char reason[most_reason]) {
    struct output *made;
    const char *fault = settings_fault(config, reason);
    if (!fault && strcmp(config->chip.data, self->config->chip.data) != 0)
        fault = "another chip needs a new instance";
    if (!fault && !outputs_make(self, config, &made))
        fault = "no memory";
    if (fault) {
        if (fault != reason)
            snprintf(reason, most_reason, "%s", fault);
        return false;
    }
    bool is_open = self->chip.source.descriptor >= 0;
    if (is_open && !fits(self, config, made, reason)) {
        outputs_free(self, made);
        return false;
    }
    self->config = config;
    if (is_open)
        are_free(self, made, true, reason);
    outputs_replace(self, made);
    if (is_open)
        outputs_take(self);
    else
        handover_renew(self); // An output that comes again later begins as at the start.
    return true;
}
