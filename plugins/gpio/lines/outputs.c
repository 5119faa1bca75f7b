#include "outputs.h"
#include "../instance.h"
#include "../settings.h"
#include "handover.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct output *find(struct output *outputs, spin_string name) {
    for (; outputs; outputs = outputs->next)
        if (strlen(outputs->name) == name.size && memcmp(outputs->name, name.data, name.size) == 0)
            return outputs;
    return NULL;
}

static struct output *make(spin_string name, bool level) {
    struct output *output = calloc(1, sizeof *output);
    if (!output)
        return NULL;
    output->source.descriptor = -1;
    memcpy(output->name, name.data, name.size);
    output->level = level;
    return output;
}

bool outputs_make(spin_self *self, const spin_config *config, struct output **made) {
    struct output **last = made;
    const spin_string *names = config->outputs.items;
    *made = NULL;
    for (size_t i = 0; i < config->outputs.count; i++) {
        *last = make(names[i], list_has(config->initially_active, names[i]));
        if (!*last) {
            outputs_free(self, *made);
            *made = NULL;
            return false;
        }
        last = &(*last)->next;
    }
    return true;
}

void outputs_free(spin_self *self, struct output *outputs) {
    for (struct output *output; (output = outputs);) {
        outputs = output->next;
        source_free(self, &output->source);
    }
}

// Takes the output of the same line out of the instance; NULL without one.
static struct output *take_out(spin_self *self, const struct output *made) {
    spin_string name = {made->name, strlen(made->name)};
    struct output *found = find(self->outputs, name);
    if (self->chip.source.descriptor >= 0)
        found = outputs_at(self, made->set.offsets[0]);
    for (struct output **link = &self->outputs; found && *link; link = &(*link)->next)
        if (*link == found) {
            *link = found->next;
            break;
        }
    return found;
}

void outputs_replace(spin_self *self, struct output *made) {
    for (struct output **link = &made; *link; link = &(*link)->next) {
        struct output *kept = take_out(self, *link);
        if (!kept)
            continue;
        memcpy(kept->name, (*link)->name, sizeof kept->name);
        kept->next = (*link)->next;
        free(*link);
        *link = kept;
    }
    outputs_free(self, self->outputs);
    self->outputs = made;
}

bool outputs_find(spin_self *self, struct output *outputs, char reason[most_reason]) {
    char why[most_reason];
    for (struct output *output = outputs; output; output = output->next) {
        spin_string name = {output->name, strlen(output->name)};
        if (!chip_line(&self->chip, name, &output->set.offsets[0], why)) {
            snprintf(reason, most_reason, "setting `outputs`: %.480s", why);
            return false;
        }
        for (struct output *other = outputs; other != output; other = other->next)
            if (other->set.offsets[0] == output->set.offsets[0]) {
                snprintf(reason, most_reason, "setting `outputs`: `%s` and `%s` are one line", other->name,
                         output->name);
                return false;
            }
    }
    return true;
}

struct line_set outputs_set(const spin_self *self, uint32_t offset) {
    return (struct line_set){.offsets = {offset},
                             .count = 1,
                             .flags = settings_output(self->config),
                             .active_low = self->chip.lines[offset].is_active_low};
}

struct output *outputs_named(const spin_self *self, spin_string name) {
    return find(self->outputs, name);
}

struct output *outputs_at(const spin_self *self, uint32_t offset) {
    struct output *output = self->outputs;
    while (output && output->set.offsets[0] != offset)
        output = output->next;
    return output;
}

// Takes a line with the level that it has: as it is at first, so that nothing drives it before the level is known.
static int take_as_it_is(spin_self *self, struct output *output, const struct line_set *set) {
    struct line_set as_is = *set;
    as_is.flags = 0;
    uint64_t levels = 0;
    int line = kernel_take(self->chip.source.descriptor, &as_is, 0, self->config->consumer.data);
    if (line < 0)
        return line;
    int result = kernel_levels(line, &as_is, &levels);
    if (result >= 0)
        result = kernel_change(line, set, levels);
    output->source.descriptor = line;
    if (result < 0)
        source_close(self, &output->source);
    output->level = levels != 0;
    return result < 0 ? result : line;
}

// Takes an output; 0 or a negative error number.
static int take(spin_self *self, struct output *output) {
    struct line_set set = outputs_set(self, output->set.offsets[0]);
    int line = output->follows ? take_as_it_is(self, output, &set)
                               : kernel_take(self->chip.source.descriptor, &set, output->level,
                                             self->config->consumer.data);
    if (line < 0)
        return line;
    output->set = set;
    output->source.descriptor = line;
    output->follows = false;
    output->reason[0] = 0;
    if (source_watch(self, &output->source, 0))
        return 0;
    int error = errno;
    source_close(self, &output->source);
    return -error;
}

enum result outputs_take(spin_self *self) {
    enum result result = GOT;
    for (struct output *output = self->outputs; output; output = output->next) {
        if (output->source.descriptor >= 0)
            continue;
        int error = -take(self, output);
        if (error == 0)
            continue;
        if (error == ENODEV) {
            chip_lose(self, error);
            return MISSING;
        }
        char reason[most_reason];
        if (chip_line_error(&self->chip, output->set.offsets[0], output->name, error, reason) == REFUSED) {
            result = REFUSED;
            snprintf(self->chip.reason, most_reason, "setting `outputs`: %.480s", reason);
        }
        if (strcmp(output->reason, reason) != 0)
            spin_log(self->engine.call, SPIN_LOG_WARNING, reason);
        memcpy(output->reason, reason, most_reason);
        self->chip.due = spin_monotonic() + self->config->reopen;
    }
    handover_renew(self);
    return result;
}

int outputs_write(struct output *output, bool level) {
    int result = kernel_set(output->source.descriptor, level);
    if (result >= 0)
        output->level = level;
    return result;
}

void outputs_look(spin_self *self) {
    static const uint64_t shared = GPIO_V2_LINE_FLAG_OPEN_DRAIN | GPIO_V2_LINE_FLAG_OPEN_SOURCE;
    for (struct output *output = self->outputs; output; output = output->next) {
        uint64_t levels;
        if (output->source.descriptor >= 0 && !(output->set.flags & shared) &&
            kernel_levels(output->source.descriptor, &output->set, &levels) >= 0)
            output->level = levels != 0;
    }
}

void outputs_lose(spin_self *self) {
    for (struct output *output = self->outputs; output; output = output->next) {
        source_close(self, &output->source);
        output->reason[0] = 0;
        output->follows = false;
    }
}
