// Compiles the header alone, as a C target must have a source; it holds the layout assertions.
#include <spinhost/plugin.h>
