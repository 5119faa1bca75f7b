/* The `std` plugin as it is linked into a host: the same code and descriptions. */
#ifndef SPINHOST_STANDARD_PLUGIN_H
#define SPINHOST_STANDARD_PLUGIN_H

#include <spinhost/plugin.h>

/* The table that dlsym would find in std.so. A constant.
 * [any] */
const struct spin_entry *spin_std_entry(void);

#endif
