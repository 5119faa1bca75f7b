#include <spinhost/plugin.h>
