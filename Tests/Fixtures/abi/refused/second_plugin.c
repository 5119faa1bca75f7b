// Refused because of: multiple definition of .(spin_plugin_info|spin_plugin_host)
#include <spinhost/plugin.h>

SPIN_PLUGIN("second", "1.0.0");
