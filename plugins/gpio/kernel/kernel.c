#include "kernel.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest queue that the kernel makes. When it is full, the kernel drops the oldest event. */
enum { queue_size = 16 * GPIO_V2_LINES_MAX };

static int answer(int result) { return result < 0 ? -errno : result; }

int kernel_open(const char *path, struct gpiochip_info *info) {
    struct stat found;
    // To open a file of another kind can have effects.
    if (stat(path, &found) != 0)
        return -errno;
    if (!S_ISCHR(found.st_mode))
        return -ENOTTY;
    int chip = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (chip < 0)
        return -errno;
    if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, info) == 0)
        return chip;
    int error = errno == ENODEV || errno == EINTR ? errno : ENOTTY;
    close(chip);
    return -error;
}

int kernel_line(int chip, uint32_t offset, struct gpio_v2_line_info *info) {
    *info = (struct gpio_v2_line_info){.offset = offset};
    return answer(ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, info));
}

static uint64_t all_of(const struct line_set *set) { return ~UINT64_C(0) >> (64 - set->count); }

static void describe(const struct line_set *set, uint64_t levels, struct gpio_v2_line_config *config) {
    config->flags = set->flags;
    struct gpio_v2_line_config_attribute *next = config->attrs;
    if (set->active_low)
        *next++ = (struct gpio_v2_line_config_attribute){
            .attr = {.id = GPIO_V2_LINE_ATTR_ID_FLAGS, .flags = set->flags | GPIO_V2_LINE_FLAG_ACTIVE_LOW},
            .mask = set->active_low};
    if (set->flags & GPIO_V2_LINE_FLAG_OUTPUT)
        *next++ = (struct gpio_v2_line_config_attribute){
            .attr = {.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES, .values = levels}, .mask = all_of(set)};
    if (set->debounce && set->flags & GPIO_V2_LINE_FLAG_INPUT)
        *next++ = (struct gpio_v2_line_config_attribute){
            .attr = {.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE, .debounce_period_us = set->debounce},
            .mask = all_of(set)};
    config->num_attrs = (uint32_t)(next - config->attrs);
}

int kernel_take(int chip, const struct line_set *set, uint64_t levels, const char *consumer) {
    struct gpio_v2_line_request request = {.num_lines = set->count, .fd = -1};
    memcpy(request.offsets, set->offsets, set->count * sizeof *set->offsets);
    snprintf(request.consumer, sizeof request.consumer, "%s", consumer);
    if (set->flags & GPIO_V2_LINE_FLAG_EDGE_RISING)
        request.event_buffer_size = queue_size;
    describe(set, levels, &request.config);
    if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) != 0)
        return -errno;
    int flags = fcntl(request.fd, F_GETFL);
    if (flags >= 0 && fcntl(request.fd, F_SETFL, flags | O_NONBLOCK) == 0)
        return request.fd;
    int error = errno;
    close(request.fd);
    return -error;
}

int kernel_change(int lines, const struct line_set *set, uint64_t levels) {
    struct gpio_v2_line_config config = {0};
    describe(set, levels, &config);
    return answer(ioctl(lines, GPIO_V2_LINE_SET_CONFIG_IOCTL, &config));
}

int kernel_levels(int lines, const struct line_set *set, uint64_t *levels) {
    struct gpio_v2_line_values values = {.mask = all_of(set)};
    int result = answer(ioctl(lines, GPIO_V2_LINE_GET_VALUES_IOCTL, &values));
    *levels = values.bits;
    return result;
}

int kernel_set(int line, bool level) {
    struct gpio_v2_line_values values = {.mask = 1, .bits = level};
    return answer(ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values));
}

int kernel_read(int lines, struct gpio_v2_line_event *events, unsigned most) {
    ssize_t size = read(lines, events, most * sizeof *events);
    if (size < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    // A descriptor that has no more has no chip.
    return size == 0 ? -ENODEV : (int)((size_t)size / sizeof *events);
}
