// Receives changes of files and folders from the kernel for all watches. They share one inotify descriptor, because a user
// may have few (fs.inotify.max_user_instances) and closing one is slow. One thread reads it, and ends with the last watch.
#ifndef STD_NOTICES_H
#define STD_NOTICES_H

#include "watch.h"

/* Adds a watch, and starts the thread if needed. The caller must block signals, as the thread inherits its mask. 0, or
 * an errno. */
int notices_begin(struct watch *watch);

/* Removes a watch and all of its files and folders. */
void notices_end(struct watch *watch);

/* Adds the file or folder that is open as `descriptor` to a watch. The first folder is the watch's own. Adding a folder
 * again has no effect. A file counts each time that it is added. Its number, or -1 with an errno. */
int notices_add(struct watch *watch, int descriptor, int is_folder);

/* Removes a file once, or a folder that is not the watch's own. */
void notices_drop(struct watch *watch, int number);

#endif
