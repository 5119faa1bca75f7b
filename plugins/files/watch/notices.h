// What inotify tells of the paths of a watch.
#ifndef FILES_NOTICES_H
#define FILES_NOTICES_H

#include "watch.h"

/* Has inotify tell of an open folder: its number, or -1 with a problem. */
int notices_add(struct watch *watch, int folder, uint32_t events, struct problem *problem);

/* The same for the parent of the watched path. */
int notices_add_parent(struct watch *watch, uint32_t events, struct problem *problem);

/* The events of a folder of the tree, and of the parent of the watched path without and with writes. */
enum notices_events { NOTICES_TREE, NOTICES_PARENT, NOTICES_WRITES };
uint32_t notices_events(enum notices_events events);

/* Ends that. */
void notices_remove(struct watch *watch, int number);

/* Marks what the notices that are there are about; 0 if the call has failed. */
int notices_take(struct watch *watch);

#endif
