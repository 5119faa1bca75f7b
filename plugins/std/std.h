// Each file of the plugin includes this first.
#ifndef STD_H
#define STD_H

// For inotify, pidfds and names of errors. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#ifdef SWIFT_PACKAGE
// The plugin is linked into the host's executable, which exports nothing.
#define SPIN_EXPORT __attribute__((visibility("hidden")))
#endif

#include <spinhost/plugin.h>

#endif
