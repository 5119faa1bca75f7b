// Watches a path, the files that it names, and its folders.
#ifndef STD_WATCH_H
#define STD_WATCH_H

#include "std.h"
#include <stdatomic.h>

/* The watch of one path. */
struct watch {
    /* Becomes readable when something may have happened: an eventfd. */
    int descriptor;
    /* The number of the path's folder, or -1 while it is not known. */
    int folder;
    /* 1 when that folder was removed or moved. */
    atomic_int is_over;
    /* The number of the target's folder, if the path is a link into another folder; otherwise -1. */
    int target_folder;
    struct watch *next;
};

/* Begins to watch the path's folder. 0, or the errno of opening or watching it. */
int watch_open(struct watch *watch, const char *path);

/* Also watches the file that is open as `file`. If the path is a symbolic link, it watches the folder of the
 * target too, in place of the previous target's folder. The number of the file's watch, or -1 with an errno. */
int watch_file(struct watch *watch, const char *path, int file);

/* Ends one watch of a file. Each successful `watch_file` needs one call. */
void watch_forget(struct watch *watch, int file_watch);

/* Makes the descriptor unreadable until the next change. 0 when the path's folder was removed or moved. */
int watch_take(struct watch *watch);

/* Ends all watches of the path and closes the descriptor. */
void watch_close(struct watch *watch);

#endif
