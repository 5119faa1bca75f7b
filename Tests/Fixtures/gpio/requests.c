// Requests of lines, as the kernel makes them.
#include "kernel_state.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The flags that an input or an output may have, and others only it. */
static const uint64_t biases =
    GPIO_V2_LINE_FLAG_BIAS_PULL_UP | GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN | GPIO_V2_LINE_FLAG_BIAS_DISABLED;
static const uint64_t drives = GPIO_V2_LINE_FLAG_OPEN_DRAIN | GPIO_V2_LINE_FLAG_OPEN_SOURCE;
static const uint64_t edges = GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;

static bool are_valid(uint64_t flags) {
    uint64_t directions = flags & (GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_OUTPUT);
    uint64_t others = flags & ~(directions | biases | drives | edges | GPIO_V2_LINE_FLAG_ACTIVE_LOW |
                                GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME);
    return others == 0 && directions != (GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_OUTPUT) &&
           (!(flags & drives) || directions == GPIO_V2_LINE_FLAG_OUTPUT) && (flags & drives) != drives &&
           (!(flags & edges) || directions == GPIO_V2_LINE_FLAG_INPUT) && (!(flags & biases) || directions);
}

// Reads a configuration into the request, and drives its outputs; an error number.
static int configure(struct request *request, const struct gpio_v2_line_config *config) {
    uint64_t values = 0;
    struct request set = *request;
    if (config->num_attrs > GPIO_V2_LINE_NUM_ATTRS_MAX)
        return EINVAL;
    for (uint32_t i = 0; i < set.count; i++) {
        set.flags[i] = config->flags;
        set.debounce[i] = 0;
        for (uint32_t at = 0; at < config->num_attrs; at++) {
            const struct gpio_v2_line_attribute *attribute = &config->attrs[at].attr;
            if (attribute->padding)
                return EINVAL;
            if (!(config->attrs[at].mask >> i & 1))
                continue;
            if (attribute->id == GPIO_V2_LINE_ATTR_ID_FLAGS)
                set.flags[i] = attribute->flags;
            else if (attribute->id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE)
                set.debounce[i] = attribute->debounce_period_us;
            else
                values |= (attribute->values >> i & 1) << i;
        }
        if (!are_valid(set.flags[i]) || (set.debounce[i] && !(set.flags[i] & GPIO_V2_LINE_FLAG_INPUT)))
            return EINVAL;
        int refusal = chips[set.opened.chip].refusal[set.offsets[i]];
        if (refusal) {
            // The kernel notes the flags of lines that are held before it sets the lines.
            if (set.opened.is_used)
                memcpy(request->flags, set.flags, (i + 1) * sizeof *set.flags);
            return refusal;
        }
    }
    *request = set;
    for (uint32_t i = 0; i < set.count; i++) {
        bool is_low = set.flags[i] & GPIO_V2_LINE_FLAG_ACTIVE_LOW;
        if (set.flags[i] & GPIO_V2_LINE_FLAG_OUTPUT)
            note_driven(set.opened.chip, set.offsets[i], (values >> i & 1) ^ is_low);
        else if (set.flags[i] & GPIO_V2_LINE_FLAG_INPUT)
            chips[set.opened.chip].is_output[set.offsets[i]] = false;
    }
    return 0;
}

int request_make(int chip, struct gpio_v2_line_request *asked) {
    uint32_t index;
    if (asked->num_lines == 0 || asked->num_lines > GPIO_V2_LINES_MAX)
        return EINVAL;
    for (uint32_t i = 0; i < asked->num_lines; i++) {
        if (asked->offsets[i] >= line_count)
            return EINVAL;
        if (chips[chip].occupant[asked->offsets[i]][0] || request_of(chip, asked->offsets[i], &index))
            return EBUSY;
    }
    struct request *request = requests;
    while (request < requests + most_opened && request->opened.is_used)
        request++;
    if (request == requests + most_opened)
        return ENFILE;
    *request = (struct request){.count = asked->num_lines, .opened.chip = chip};
    memcpy(request->offsets, asked->offsets, sizeof request->offsets);
    memcpy(request->consumer, asked->consumer, sizeof request->consumer);
    int error = configure(request, &asked->config);
    if (error)
        return error;
    asked->fd = opened_make(&request->opened, chip);
    return asked->fd < 0 ? errno : 0;
}

static int levels(struct request *request, struct gpio_v2_line_values *values) {
    values->bits = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        uint64_t is_low = (request->flags[i] & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0;
        uint64_t value = (uint64_t)chips[request->opened.chip].value[request->offsets[i]];
        if (values->mask >> i & 1)
            values->bits |= (value ^ is_low) << i;
    }
    return 0;
}

static int set(struct request *request, const struct gpio_v2_line_values *values) {
    for (uint32_t i = 0; i < request->count; i++) {
        if (!(values->mask >> i & 1))
            continue;
        if (!(request->flags[i] & GPIO_V2_LINE_FLAG_OUTPUT))
            return EPERM;
        bool is_low = request->flags[i] & GPIO_V2_LINE_FLAG_ACTIVE_LOW;
        note_driven(request->opened.chip, request->offsets[i], (values->bits >> i & 1) ^ is_low);
    }
    return 0;
}

int request_answer(struct request *request, unsigned long asked, void *argument) {
    switch (asked) {
    case GPIO_V2_LINE_GET_VALUES_IOCTL:
        return levels(request, argument);
    case GPIO_V2_LINE_SET_VALUES_IOCTL:
        return set(request, argument);
    case GPIO_V2_LINE_SET_CONFIG_IOCTL:
        return configure(request, argument);
    default:
        return ENOTTY;
    }
}
