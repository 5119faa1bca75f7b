#include "chip.h"
#include "kernel/find.h"
#include "instance.h"
#include "lines/change.h"
#include "lines/handover.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More lines than any chip has. */
enum { most_chip_lines = 65536, deferred = 517, not_supported = 524 };

void chip_close(spin_self *self) {
    struct chip *chip = &self->chip;
    source_close(self, &chip->source);
    free(chip->lines);
    chip->lines = NULL;
}

// Reads the names of all lines, so that later looks need no system calls.
static enum result read_lines(struct chip *chip) {
    struct gpio_v2_line_info info;
    if (chip->info.lines > most_chip_lines ||
        !(chip->lines = calloc(chip->info.lines + 1, sizeof *chip->lines))) {
        snprintf(chip->reason, most_reason, "there is no memory for %u lines of `%.32s`", chip->info.lines,
                 chip->info.name);
        return MISSING;
    }
    for (uint32_t i = 0; i < chip->info.lines; i++) {
        int result = kernel_line(chip->source.descriptor, i, &info);
        if (result < 0) {
            int is_old = result == -EINVAL || result == -ENOTTY;
            snprintf(chip->reason, most_reason, "cannot look at `%.32s`: %s", chip->info.name,
                     is_old ? "this needs Linux 5.11 or later" : error_text(-result));
            return is_old ? REFUSED : MISSING;
        }
        snprintf(chip->lines[i].name, sizeof chip->lines[i].name, "%.*s", GPIO_MAX_NAME_SIZE, info.name);
    }
    return GOT;
}

// The number that a text of digits is; UINT32_MAX if it is too large.
static uint32_t number_of(spin_string text) {
    uint64_t number = 0;
    for (size_t i = 0; i < text.size && number < UINT32_MAX; i++)
        number = number * 10 + (uint64_t)(text.data[i] - '0');
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

bool chip_is_number(spin_string text) {
    size_t digits = 0;
    while (digits < text.size && text.data[digits] >= '0' && text.data[digits] <= '9')
        digits++;
    return digits > 0 && digits == text.size;
}

bool chip_line(const struct chip *chip, spin_string name, uint32_t *offset, char reason[most_reason]) {
    uint32_t found = UINT32_MAX;
    if (chip_is_number(name)) {
        found = number_of(name);
    } else if (name.size > 0 && name.size <= GPIO_MAX_NAME_SIZE) {
        for (uint32_t i = 0; i < chip->info.lines; i++) {
            if (strlen(chip->lines[i].name) != name.size ||
                memcmp(chip->lines[i].name, name.data, name.size) != 0)
                continue;
            if (found != UINT32_MAX) {
                snprintf(reason, most_reason,
                         "`%.32s` has two lines `%.*s`, %u and %u: name one of them by its number",
                         chip->info.name, (int)name.size, name.data, found, i);
                return false;
            }
            found = i;
        }
    }
    if (found < chip->info.lines) {
        *offset = found;
        return true;
    }
    snprintf(reason, most_reason,
             "`%.32s` has no line `%.*s`: it has the numbers 0 to %u, and `gpioinfo` shows the names",
             chip->info.name, (int)(name.size < 64 ? name.size : 64), name.data, chip->info.lines - 1);
    return false;
}

// Who has a line, as the host takes it: a program may give the kernel any bytes for its name.
static const char *holder(struct gpio_v2_line_info *info) {
    for (char *place = info->consumer; place < info->consumer + sizeof info->consumer && *place; place++)
        if (*place < ' ' || *place > '~')
            *place = '?';
    return info->consumer[0] ? info->consumer : "the kernel";
}

enum result chip_line_error(const struct chip *chip, uint32_t offset, const char *name, int error,
                            char reason[most_reason]) {
    struct gpio_v2_line_info info = {0};
    switch (error) {
    case EBUSY:
        kernel_line(chip->source.descriptor, offset, &info);
        snprintf(reason, most_reason,
                 "the line `%.64s` is in use by `%.*s`: end that program, or share the plugin among loops by "
                 "`instance = "
                 "\"app\"`",
                 name, GPIO_MAX_NAME_SIZE, holder(&info));
        return MISSING;
    case EINVAL:
    case ENXIO:
    case EOPNOTSUPP:
    case not_supported:
        snprintf(reason, most_reason, "`%.32s` cannot use the line `%.64s` in this way: %s", chip->info.name,
                 name, error == not_supported ? "Operation not supported" : error_text(error));
        return REFUSED;
    default:
        snprintf(reason, most_reason, "cannot get the line `%.64s`: %s", name,
                 error == deferred ? "it is not ready" : error_text(error));
        return MISSING;
    }
}

bool chip_mark(spin_self *self, spin_list_string active_low, char reason[most_reason]) {
    struct chip *chip = &self->chip;
    uint32_t offsets[most_lines];
    const spin_string *names = active_low.items;
    char why[most_reason];
    for (size_t i = 0; i < active_low.count; i++)
        if (!chip_line(chip, names[i], &offsets[i], why)) {
            snprintf(reason, most_reason, "setting `active_low`: %.480s", why);
            return false;
        }
    for (uint32_t i = 0; i < chip->info.lines; i++)
        chip->lines[i].is_active_low = false;
    for (size_t i = 0; i < active_low.count; i++)
        chip->lines[offsets[i]].is_active_low = true;
    return true;
}

enum result chip_open(spin_self *self) {
    struct chip *chip = &self->chip;
    enum result result = find_chip(self->config->chip, &chip->source.descriptor, &chip->info, chip->reason);
    if (result != GOT)
        return result;
    result = read_lines(chip);
    if (result == GOT && (!chip_mark(self, self->config->active_low, chip->reason) ||
                          !outputs_find(self, self->outputs, chip->reason)))
        result = REFUSED;
    if (result == GOT && !source_watch(self, &chip->source, 0)) {
        snprintf(chip->reason, most_reason, "cannot watch `%.32s`: %s", chip->info.name, error_text(errno));
        result = MISSING;
    }
    if (result != GOT)
        chip_close(self);
    else
        handover_take(self);
    return result;
}

void chip_lose(spin_self *self, int error) {
    struct chip *chip = &self->chip;
    if (chip->source.descriptor < 0)
        return;
    snprintf(chip->reason, most_reason, "`%.32s` has gone: %s", chip->info.name,
             error == ENODEV ? "it was disconnected" : error_text(error));
    spin_log(self->engine.call, SPIN_LOG_WARNING, chip->reason);
    outputs_lose(self);
    watches_lose(self);
    chip_close(self);
    handover_renew(self);
    chip->info.name[0] = 0; // Another one may get its name.
    chip->due = spin_monotonic() + self->config->reopen;
}

void chip_step(spin_self *self) {
    struct chip *chip = &self->chip;
    if (spin_monotonic() < chip->due)
        return;
    chip->due = INT64_MAX;
    if (chip->source.descriptor < 0) {
        char before[most_reason];
        memcpy(before, chip->reason, most_reason);
        if (chip_open(self) != GOT) {
            if (strcmp(before, chip->reason) != 0)
                spin_log(self->engine.call, SPIN_LOG_WARNING, chip->reason);
            chip->due = spin_monotonic() + self->config->reopen;
            return;
        }
        spin_log(self->engine.call, SPIN_LOG_INFO, "the chip is open");
        if (!change_held(self, chip->reason))
            spin_log(self->engine.call, SPIN_LOG_WARNING, chip->reason);
    }
    outputs_take(self);
    watches_take(self);
}
