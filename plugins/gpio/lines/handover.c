#include "handover.h"
#include "../../common/process.h"
#include "../instance.h"
#include <string.h>
#include <unistd.h>

/* How long the host may take to make the calls again that it has cancelled in a swap, in nanoseconds. */
static const int64_t after_start = 5000000000;

/* What is said of a descriptor, or of an output that is not held. */
struct note {
    char chip[GPIO_MAX_NAME_SIZE];
    char name[GPIO_MAX_NAME_SIZE]; /* of an output */
    bool is_output, level;         /* of an output, what it was set to */
    struct watch_state state;      /* of an output, the set of lines alone */
};

// The instance still has events of the batch and will emit them, so a copy counts them as lost.
static void drop_batch(struct watch_state *state) {
    if (state->begin < state->end && state->sequence == state->batch[state->begin].seqno)
        state->sequence--;
    state->begin = state->end = 0;
}

// Puts all lines in the parcel, in place of what is there. With `moves`, the instance gives them up.
static void put_all(spin_self *self, bool moves) {
    struct note note = {.is_output = true};
    memcpy(note.chip, self->chip.info.name, sizeof note.chip);
    parcel_empty(&self->parcel);
    for (struct output *output = self->outputs; output; output = output->next) {
        memcpy(note.name, output->name, sizeof note.name);
        note.state.set = output->set;
        note.level = output->level;
        if (parcel_put(&self->parcel, &note, sizeof note, output->source.descriptor) && moves)
            source_close(self, &output->source);
    }
    note.is_output = false;
    for (struct watch *watch = self->watches; watch; watch = watch->next) {
        note.state = watch->state;
        note.state.has_told = watch->told == watch->changes;
        if (!moves)
            drop_batch(&note.state);
        if (watch->source.descriptor >= 0 &&
            parcel_put(&self->parcel, &note, sizeof note, watch->source.descriptor) && moves)
            source_close(self, &watch->source);
    }
}

void handover_renew(spin_self *self) {
    if (self->parcel.is_used && self->has_taken)
        put_all(self, false);
}

void handover_give(spin_self *self) {
    outputs_look(self);
    if (self->parcel.in >= 0) {
        if (self->has_taken)
            put_all(self, true);
    } else {
        for (struct output *output = self->outputs; output; output = output->next)
            source_close(self, &output->source);
    }
    watches_free(self);
    chip_close(self);
    self->has_taken = false;
}

static bool take_output(spin_self *self, const struct note *note, int line) {
    struct output *output = outputs_at(self, note->state.set.offsets[0]);
    if (!output || output->source.descriptor >= 0)
        return false;
    output->source.descriptor = line;
    output->set = note->state.set;
    output->level = note->level;
    output->follows = false;
    if (source_watch(self, &output->source, 0))
        return true;
    output->source.descriptor = -1;
    return false;
}

// Another instance has lost the output, and says how it had set it.
static void take_level(spin_self *self, const struct note *note) {
    struct output *output =
        outputs_named(self, (spin_string){note->name, strnlen(note->name, sizeof note->name)});
    if (!output || output->source.descriptor >= 0)
        return;
    output->level = note->level;
    output->follows = false;
}

static bool take_watch(spin_self *self, const struct note *note, int line) {
    struct watch *watch = watch_make();
    if (!watch)
        return false;
    watch->source.descriptor = line;
    watch->state = note->state;
    watch->changes = 1;
    watch->told = note->state.has_told;
    if (watch->state.has_edges)
        watch->due = spin_monotonic() + after_start;
    watches_add(self, watch);
    return true;
}

void handover_take(spin_self *self) {
    struct note note;
    self->has_taken = true;
    if (self->parcel.in < 0)
        return;
    for (int line; parcel_take(&self->parcel, &note, sizeof note, &line);) {
        uint64_t levels;
        if (line < 0) {
            if (note.is_output)
                take_level(self, &note);
            continue;
        }
        // Another chip may have its name now. The lines of one that has gone have no levels.
        bool is_here = memcmp(note.chip, self->chip.info.name, sizeof note.chip) == 0 &&
                       kernel_levels(line, &note.state.set, &levels) >= 0;
        if (!is_here || !(note.is_output ? take_output : take_watch)(self, &note, line))
            close(line);
    }
    outputs_look(self);
    handover_renew(self);
}

/* What follows for each output. */
struct saved_output {
    char name[GPIO_MAX_NAME_SIZE];
    int32_t level;
};

struct saved_lines {
    char mark[8];
    struct process process, host;
    char chip[GPIO_MAX_NAME_SIZE];
    int32_t in, out;
};
static const char mark[8] = "gpio 1\n";

spin_status handover_save(spin_self *self, spin_saving *saving) {
    struct saved_lines saved = {
        .process = process_own(), .host = process_host(), .in = self->parcel.in, .out = self->parcel.out};
    memcpy(saved.mark, mark, sizeof mark);
    memcpy(saved.chip, self->chip.info.name, sizeof saved.chip);
    spin_status status = spin_write(saving, &saved, sizeof saved);
    for (struct output *output = self->outputs; output && status == SPIN_OK; output = output->next) {
        struct saved_output next = {.level = output->level};
        memcpy(next.name, output->name, sizeof next.name);
        status = spin_write(saving, &next, sizeof next);
    }
    return status;
}

const char *handover_restore(spin_self *self, const spin_saved *saved) {
    struct saved_lines found;
    struct saved_output next;
    const uint8_t *place = saved->data;
    if (saved->schema != HANDOVER_SCHEMA || saved->data_size < sizeof found ||
        memcmp(place, mark, sizeof mark) != 0 || (saved->data_size - sizeof found) % sizeof next != 0)
        return "this is not a state of lines";
    memcpy(&found, place, sizeof found);
    // After a restart, others may have set the lines meanwhile: the settings say how they begin.
    if (!process_is_host(&found.host))
        return NULL;
    memcpy(self->chip.info.name, found.chip, sizeof found.chip);
    for (size_t at = sizeof found; at < saved->data_size; at += sizeof next) {
        memcpy(&next, place + at, sizeof next);
        struct output *output =
            outputs_named(self, (spin_string){next.name, strnlen(next.name, sizeof next.name)});
        if (output)
            output->level = next.level != 0;
    }
    if (process_is_own(&found.process))
        parcel_copy(&self->parcel, found.in, found.out);
    return NULL;
}
