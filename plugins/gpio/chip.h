// The chip of an instance: opened, and opened again when it has gone.
#ifndef GPIO_CHIP_H
#define GPIO_CHIP_H

#include "kernel/kernel.h"
#include "lines/source.h"

struct chip_line {
    char name[GPIO_MAX_NAME_SIZE + 1]; /* often empty */
    bool is_active_low;                /* as the settings say */
};

struct chip {
    struct source source;
    struct gpiochip_info info; /* while it is closed in a swap, the name of the chip whose lines are left */
    struct chip_line *lines;   /* of the open chip */
    char reason[most_reason];  /* why it is closed */
    int64_t due;               /* when to try again to get what is missing; INT64_MAX if nothing is */
};

/* Opens the chip, finds the lines of the settings, and takes those that another instance has left. Otherwise `reason`
 * says why not. */
enum result chip_open(spin_self *self);

/* Marks the lines of `active_low`, or says why not and changes nothing. */
bool chip_mark(spin_self *self, spin_list_string active_low, char reason[most_reason]);

/* The number of a line of the open chip, by its name or number. Otherwise writes why not. */
bool chip_line(const struct chip *chip, spin_string name, uint32_t *offset, char reason[most_reason]);

/* Whether a line is named by its number. */
bool chip_is_number(spin_string name);

/* Writes why a line cannot be had after this error number, and what to do. `name` says it for people. */
enum result chip_line_error(const struct chip *chip, uint32_t offset, const char *name, int error,
                            char reason[most_reason]);

/* The chip has gone: closes it, and all lines. */
void chip_lose(spin_self *self, int error);

/* Opens what is missing when that is due. */
void chip_step(spin_self *self);

void chip_close(spin_self *self);

#endif
