// Takes in what a watch finds: files, and folders with what they have.
#ifndef FILES_TAKING_H
#define FILES_TAKING_H

#include "watch.h"

/* How something is taken in: as there before the watch, or as new. */
enum taking { TAKE_PRESENT, TAKE_NEW };

/* Takes in the watched path, and what is below it, when the watch begins. 0 if the call has failed, as for the
 * others. */
int take_first(struct watch *watch);

/* Takes in what a node's path leads to. The node is not known yet. */
int take_in(struct watch *watch, struct node *node, const struct stat *status, enum taking taking);

/* Watches a folder, and takes in what it has: at once, or by marks if that is new. The other order would miss what comes
 * in between. Others may move the folder meanwhile, so all of it is about the folder that was opened. */
int take_folder(struct watch *watch, struct node *folder, enum taking taking);

/* What a node's path leads to: 1, or 0 if there is nothing; -1 if the call has failed. */
int watch_find(struct watch *watch, struct node *node, struct stat *status);

/* Whether the watch continues after a problem with a node, which then is left out for now. */
int watch_tolerates(struct watch *watch, struct node *node, const char *path, const struct problem *problem);

/* Reports what has happened to a node. `from` is its path before, or NULL. */
int watch_report(struct watch *watch, enum report_kind kind, const struct node *node, const char *from);

#endif
