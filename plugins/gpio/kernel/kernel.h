// The interface of the kernel to GPIO, version 2 (linux/gpio.h).
#ifndef GPIO_KERNEL_H
#define GPIO_KERNEL_H

#include "../gpio.h"
#include <linux/gpio.h>

/* Lines that are requested together, and how. Bit i of a mask is line i of them. A level is 1 if the line is active. */
struct line_set {
    uint32_t offsets[most_lines];
    uint32_t count;
    uint32_t debounce; /* in microseconds; 0: not debounced */
    uint64_t flags;    /* GPIO_V2_LINE_FLAG_…, of all lines */
    uint64_t active_low;
};

/* Opens a chip, and asks what it is. A descriptor, or a negative error number; -ENOTTY: it is not a chip. */
int kernel_open(const char *path, struct gpiochip_info *info);

/* What the kernel says of a line; 0, or a negative error number, as with all that follow. */
int kernel_line(int chip, uint32_t offset, struct gpio_v2_line_info *info);

/* Requests lines; outputs get these levels at the same moment. The descriptor holds the lines until it is closed. */
int kernel_take(int chip, const struct line_set *set, uint64_t levels, const char *consumer);

/* Sets lines that are held in another way. */
int kernel_change(int lines, const struct line_set *set, uint64_t levels);

/* The present levels of all lines of a set. */
int kernel_levels(int lines, const struct line_set *set, uint64_t *levels);

/* Sets the only line. */
int kernel_set(int line, bool level);

/* Takes events from the kernel's queue. How many; 0 without any. */
int kernel_read(int lines, struct gpio_v2_line_event *events, unsigned most);

#endif
