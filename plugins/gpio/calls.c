#include "calls.h"
#include "kernel/find.h"
#include "instance.h"
#include "job.h"
#include "lines/handover.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

SPIN_EMITTER(level, (spin_string, line), (bool, level));

// A system call for a line has failed, or the chip has gone.
static const char *fault(spin_self *self, spin_string line, int error, char reason[most_reason]) {
    if (error == ENODEV)
        chip_lose(self, error);
    if (error == ENODEV)
        return self->chip.reason;
    snprintf(reason, most_reason, "the line `%.*s` fails: %s", (int)(line.size < 64 ? line.size : 64),
             line.data, error_text(error));
    return reason;
}

static struct output *output_of(spin_self *self, spin_string line) {
    char reason[most_reason];
    uint32_t offset;
    struct output *output = outputs_named(self, line);
    if (!output && self->chip.source.descriptor >= 0 && chip_line(&self->chip, line, &offset, reason))
        output = outputs_at(self, offset);
    return output;
}

// Whether a line that is not in the settings by this name may be an output: only the chip knows the numbers of names.
static bool may_be_output(const spin_self *self, spin_string line) {
    const struct output *output = self->outputs;
    while (output &&
           chip_is_number((spin_string){output->name, strlen(output->name)}) == chip_is_number(line))
        output = output->next;
    return output && self->chip.source.descriptor < 0;
}

void call_set(spin_self *self, struct job *job) {
    char reason[most_reason];
    spin_string line = job->names[0];
    if (spin_cancelled(job->base.call)) { // The host is about to say so.
        engine_call_drop(&job->base);
        return;
    }
    struct output *output = output_of(self, line);
    if (!output && !may_be_output(self, line)) {
        snprintf(reason, most_reason, "the line `%.*s` is not in the setting `outputs`",
                 (int)(line.size < 64 ? line.size : 64), line.data);
        engine_call_fail(&job->base, SPIN_BAD_VALUE, reason);
    } else if (self->chip.source.descriptor < 0) {
        engine_call_fail(&job->base, SPIN_FAILED, self->chip.reason);
    } else if (output->source.descriptor < 0) {
        engine_call_fail(&job->base, SPIN_FAILED, output->reason);
    } else {
        int error = -outputs_write(output, job->level);
        if (error == 0)
            engine_call_finish(&job->base);
        else
            engine_call_fail(&job->base, SPIN_FAILED, fault(self, line, error, reason));
    }
}

// Holds a line as an input; NULL, and why not in `reason` and `code`.
static struct watch *hold(spin_self *self, spin_string line, uint32_t offset, char reason[most_reason],
                          spin_status *code) {
    struct watch *watch = watches_make(self);
    if (!watch) {
        *code = SPIN_FULL;
        snprintf(reason, most_reason, "the plugin holds as many inputs as it can");
        return NULL;
    }
    watch->state.set = (struct line_set){.offsets = {offset}, .count = 1};
    int error = -watch_open(self, watch);
    if (error == 0) {
        watches_add(self, watch);
        handover_renew(self);
        return watch;
    }
    watch_free(self, watch);
    char name[most_lines];
    snprintf(name, sizeof name, "%.*s", (int)line.size, line.data);
    if (error == ENODEV)
        fault(self, line, error, reason);
    else
        chip_line_error(&self->chip, offset, name, error, reason);
    return NULL;
}

// Reads the level of a line; NULL, or why it cannot, and the code of that.
static const char *read_level(spin_self *self, spin_string line, bool *level, char reason[most_reason],
                              spin_status *code) {
    uint32_t offset, index = 0;
    if (self->chip.source.descriptor < 0)
        return self->chip.reason;
    if (!chip_line(&self->chip, line, &offset, reason)) {
        *code = SPIN_BAD_VALUE;
        return reason;
    }
    struct output *output = outputs_at(self, offset);
    struct watch *watch = output ? NULL : watches_find(self, offset, &index);
    if (!output && !watch && !(watch = hold(self, line, offset, reason, code)))
        return self->chip.source.descriptor < 0 ? self->chip.reason : reason;
    const struct source *source = output ? &output->source : &watch->source;
    if (source->descriptor < 0)
        return output ? output->reason : watch->reason;
    uint64_t levels;
    int error = -kernel_levels(source->descriptor, output ? &output->set : &watch->state.set, &levels);
    *level = levels >> index & 1;
    return error ? fault(self, line, error, reason) : NULL;
}

void call_get(spin_self *self, struct job *job) {
    char reason[most_reason];
    bool level;
    spin_status code = SPIN_FAILED;
    const char *why = read_level(self, job->names[0], &level, reason, &code);
    if (why) {
        engine_call_fail(&job->base, code, why);
    } else if (engine_call_continues(&job->base, spin_wait_level(job->base.call, job->names[0], level, 0))) {
        engine_call_finish(&job->base);
    } else {
        job->next = self->gets;
        self->gets = job;
    }
}

void calls_step(spin_self *self) {
    struct job *waiting = NULL;
    for (struct job *job; (job = self->gets);) {
        self->gets = job->next;
        job->next = waiting;
        waiting = job;
    }
    for (struct job *job; (job = waiting);) {
        waiting = job->next;
        if (lasting_can_emit(&job->base.lasting)) {
            call_get(self, job);
        } else {
            job->next = self->gets;
            self->gets = job;
        }
    }
}

void calls_sweep(spin_self *self) {
    for (struct job **link = &self->gets, *job; (job = *link);) {
        if (engine_call_is_over(&job->base)) {
            *link = job->next;
            engine_call_drop(&job->base);
        } else {
            link = &job->next;
        }
    }
}

void calls_end(spin_self *self) {
    for (struct job *job; (job = self->gets);) {
        self->gets = job->next;
        engine_call_drop(&job->base);
    }
}
