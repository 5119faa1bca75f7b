// Watches a path, the files that it names, and its folders.
#ifndef STD_WATCH_H
#define STD_WATCH_H

#include "std.h"

/* What inotify watches for a path: its folder, the folder of its target if that differs, and three files. */
enum { watch_folder, watch_target, watch_files, watch_size = watch_files + 3 };

/* The watch of one path. */
struct watch {
    spin_call *call;
    /* Becomes readable when something may have happened: an eventfd. */
    int descriptor;
    /* The inotify numbers; 0 for none. */
    int numbers[watch_size];
    /* 1 when the path's folder was removed or moved. */
    int is_over;
    struct watch *next;
};

/* Begins to watch the path's folder for a call. 0, or the errno of opening or watching it. */
int watch_open(struct watch *watch, spin_call *call, const char *path);

/* Also watches the file that is open as `file`, and the folder of the path's target in place of the previous
 * target's. The number of the file's watch, or -1 with an errno. */
int watch_file(struct watch *watch, const char *path, int file);

/* Ends one watch of a file. Each successful `watch_file` needs one call. */
void watch_forget(struct watch *watch, int number);

/* Makes the descriptor unreadable until the next change. 0 when the path's folder was removed or moved. */
int watch_take(struct watch *watch);

/* Ends all watches of the path and closes the descriptor. */
void watch_close(struct watch *watch);

#endif
