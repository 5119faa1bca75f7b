// What inotify tells of the paths of a watch.
#ifndef FILES_NOTICES_H
#define FILES_NOTICES_H

#include "watch.h"

/* The events of a folder of the tree; those of names in a folder on the way to the watched path, of writes to files
 * there, and of the folder itself; and those of a link on the way. */
enum notices_events { NOTICES_TREE, NOTICES_NAMES, NOTICES_WRITES, NOTICES_SELF, NOTICES_LINK };
uint32_t notices_mask(enum notices_events events);

/* Has inotify tell of what is open, besides what it tells of it already: its number, or -1 with a problem. */
int notices_add(struct watch *watch, int opened, enum notices_events events, struct problem *problem);

/* Ends that, unless the tree or the route needs it. */
void notices_drop(struct watch *watch, int number);

/* Marks what the notices that are there are about; 0 if the call has failed. */
int notices_take(struct watch *watch);

#endif
