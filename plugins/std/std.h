// What each file of the plugin begins with.
#ifndef STD_H
#define STD_H

// Threads with names, inotify, pidfds; before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#ifdef SWIFT_PACKAGE
// Linked into the host's executable, which exports nothing.
#define SPIN_EXPORT __attribute__((visibility("hidden")))
#endif

#include <spinhost/plugin.h>

#endif
