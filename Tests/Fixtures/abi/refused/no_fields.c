// Refused because of: needs a field
#include <spinhost/plugin.h>

SPIN_RECORD(empty);
