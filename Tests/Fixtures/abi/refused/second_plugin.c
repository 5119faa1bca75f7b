// Refused because of: multiple definition of .(spin_entry|spin_plugin_host)
#include <spinhost/plugin.h>

SPIN_PLUGIN("second", "1.0.0");
