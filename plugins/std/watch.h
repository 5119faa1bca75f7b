// What happens to a path, to the files that it names and to its folders.
#ifndef STD_WATCH_H
#define STD_WATCH_H

#include "std.h"
#include <stdatomic.h>

/* Of one path. */
struct watch {
    /* Becomes readable when something may have happened: an eventfd. */
    int descriptor;
    /* The number of the path's folder; -1: not known yet. */
    int folder;
    /* That folder has gone. */
    atomic_int is_over;
    /* The number of the folder that the file lies in now if the path is a link to another folder, or -1. */
    int target_folder;
    struct watch *next;
};

/* Begins; 0 or an errno, which is about the path's folder. */
int watch_open(struct watch *watch, const char *path);

/* Also watches the file that is open as `file`, and if the path is a symbolic link the folder of its
 * target, in place of the folder of the target before. The number of the file's watch, or -1 with an
 * errno. */
int watch_file(struct watch *watch, const char *path, int file);

/* Ends the watch of a file; as often as it was begun. */
void watch_forget(struct watch *watch, int file_watch);

/* Takes what has happened; 0 when the path's folder has gone. */
int watch_take(struct watch *watch);

/* Ends all of it. */
void watch_close(struct watch *watch);

#endif
