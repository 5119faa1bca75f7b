// Refused because of: SPIN_ABI_TARGET is newer than this header
#define SPIN_ABI_TARGET 1
#include <spinhost/plugin.h>
