// Each file of the plugin includes this first.
#ifndef FILES_H
#define FILES_H

// For openat2 and names of errors. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>
#include <stdbool.h>

SPIN_CONFIG((spin_string, root, "", "The folder in which all paths begin, and which no path leaves."),
            (int64_t, largest, 16777216, 1, 1073741824, "The most bytes of a file that is read."),
            (int32_t, most_paths, 100000, 1, 10000000,
             "The most paths of a `glob`, and folders that it looks into; the most files and folders of a watch."),
            (bool, sync_appends, 0, "Whether `append` waits until the disk has what it has appended."));

#endif
