// Which chip the settings name.
#ifndef GPIO_FIND_H
#define GPIO_FIND_H

#include "kernel.h"

/* Opens the chip of a path, a name or a label. Otherwise `reason` says why not. If several chips have the label, it is
 * the one of the name in `info`. */
enum result find_chip(spin_string chip, int *descriptor, struct gpiochip_info *info,
                      char reason[most_reason]);

/* The text of an error number. */
const char *error_text(int error);

#endif
