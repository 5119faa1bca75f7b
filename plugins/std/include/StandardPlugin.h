/* The `std` plugin as it is linked into a host: the same constants that dlsym would find in std.so. */
#ifndef SPINHOST_STANDARD_PLUGIN_H
#define SPINHOST_STANDARD_PLUGIN_H

#include <spinhost/plugin.h>

/* Who the plugin is, and where the host stores its table before it calls any effect. A constant.
 * [any] */
const struct spin_plugin_info *spin_std_info(void);

/* Its effects; ends with NULL. A constant.
 * [any] */
const spin_effect *const *spin_std_effects(void);

/* Its emissions; ends with NULL. A constant.
 * [any] */
const spin_emitter *const *spin_std_emitters(void);

#endif
