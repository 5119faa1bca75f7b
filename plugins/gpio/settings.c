#include "settings.h"
#include <stdio.h>
#include <string.h>

struct word {
    const char *text;
    uint64_t flags;
};

static const struct word biases[] = {{"as-is", 0},
                                     {"pull-up", GPIO_V2_LINE_FLAG_BIAS_PULL_UP},
                                     {"pull-down", GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN},
                                     {"disabled", GPIO_V2_LINE_FLAG_BIAS_DISABLED},
                                     {NULL, 0}};
static const struct word drives[] = {{"push-pull", 0},
                                     {"open-drain", GPIO_V2_LINE_FLAG_OPEN_DRAIN},
                                     {"open-source", GPIO_V2_LINE_FLAG_OPEN_SOURCE},
                                     {NULL, 0}};

static const struct word *find(const struct word *word, spin_string text) {
    for (; word->text; word++)
        if (strlen(word->text) == text.size && memcmp(word->text, text.data, text.size) == 0)
            return word;
    return NULL;
}

bool list_has(spin_list_string list, spin_string text) {
    const spin_string *items = list.items;
    for (size_t i = 0; i < list.count; i++)
        if (items[i].size == text.size && memcmp(items[i].data, text.data, text.size) == 0)
            return true;
    return false;
}

// Whether the texts can be names of lines, each once. Otherwise writes why not.
static bool are_names(const char *setting, spin_list_string list, char reason[most_reason]) {
    const spin_string *items = list.items;
    if (list.count > most_lines) {
        snprintf(reason, most_reason, "setting `%s`: it has more than %d lines", setting, most_lines);
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (items[i].size == 0 || items[i].size >= GPIO_MAX_NAME_SIZE ||
            memchr(items[i].data, 0, items[i].size)) {
            snprintf(reason, most_reason, "setting `%s`: a name has 1 to %d bytes", setting,
                     GPIO_MAX_NAME_SIZE - 1);
            return false;
        }
        if (list_has((spin_list_string){items, i}, items[i])) {
            snprintf(reason, most_reason, "setting `%s`: it has `%s` twice", setting, items[i].data);
            return false;
        }
    }
    return true;
}

const char *settings_fault(const spin_config *config, char reason[most_reason]) {
    if (config->chip.size == 0 || memchr(config->chip.data, 0, config->chip.size))
        return "setting `chip`: it is not a path, a name or a label";
    if (!are_names("outputs", config->outputs, reason) ||
        !are_names("initially_active", config->initially_active, reason) ||
        !are_names("active_low", config->active_low, reason))
        return reason;
    const spin_string *active = config->initially_active.items;
    for (size_t i = 0; i < config->initially_active.count; i++)
        if (!list_has(config->outputs, active[i])) {
            snprintf(reason, most_reason, "setting `initially_active`: `%s` is not in `outputs`",
                     active[i].data);
            return reason;
        }
    if (!find(biases, config->bias))
        return "setting `bias`: it is not `as-is`, `pull-up`, `pull-down` or `disabled`";
    if (!find(drives, config->drive))
        return "setting `drive`: it is not `push-pull`, `open-drain` or `open-source`";
    if (config->consumer.size == 0 || config->consumer.size >= GPIO_MAX_NAME_SIZE ||
        memchr(config->consumer.data, 0, config->consumer.size))
        return "setting `consumer`: it has 1 to 31 bytes";
    return NULL;
}

uint64_t settings_input(const spin_config *config) {
    return GPIO_V2_LINE_FLAG_INPUT | find(biases, config->bias)->flags;
}

uint64_t settings_output(const spin_config *config) {
    return GPIO_V2_LINE_FLAG_OUTPUT | find(drives, config->drive)->flags;
}

uint32_t settings_debounce(const spin_config *config) {
    // The kernel counts microseconds. A shorter time is one.
    return (uint32_t)((config->debounce + 999) / 1000);
}
