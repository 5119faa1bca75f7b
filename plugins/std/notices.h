// What the kernel tells of files and folders, for all watches: they share one inotify, which a thread reads that ends with
// the last of them. A user may have few (fs.inotify.max_user_instances), and the kernel takes its time to close one.
#ifndef STD_NOTICES_H
#define STD_NOTICES_H

#include "watch.h"

/* Begins to tell a watch; 0 or an errno. The calling thread takes no signals. */
int notices_begin(struct watch *watch);

/* Ends all that a watch is told. */
void notices_end(struct watch *watch);

/* Has a watch told of what is open as `descriptor`: a folder, the first being its own, which may be said again, or a file,
 * which counts as often as it is said. Its number, or -1 with an errno. */
int notices_add(struct watch *watch, int descriptor, int is_folder);

/* Has a watch no longer told of a file, or of a folder that is not its own. */
void notices_drop(struct watch *watch, int number);

#endif
