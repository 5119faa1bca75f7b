// What the Swift files of the plugin see, too.
#include <spinhost/plugin.h>

int64_t louder(int64_t volume);
