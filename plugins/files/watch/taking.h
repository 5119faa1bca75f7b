// Takes in what a watch finds, and watches folders.
#ifndef FILES_TAKING_H
#define FILES_TAKING_H

#include "watch.h"
#include "../names.h"

/* Takes in what a node's path leads to. The node is not known yet. 0 if the call has failed, as for the others. */
int take_in(struct watch *watch, struct node *node, const struct stat *status);

/* Whether a node is a folder that is to be watched. */
int is_to_be_watched(const struct watch *watch, const struct node *node);

/* Watches a folder, and reads the names that it has, which the caller frees. The other order would miss what comes in
 * between. Others may move the folder meanwhile, so all of it is about the folder that was opened. */
int watch_folder(struct watch *watch, struct node *folder, struct names *names);

/* What a node's path leads to: 1, or 0 if there is nothing; -1 if the call has failed. */
int watch_find(struct watch *watch, struct node *node, struct stat *status);

/* Whether the watch continues after a problem with a node, which then is left out for now. */
int watch_tolerates(struct watch *watch, struct node *node, const char *path, const struct problem *problem);

/* Reports what has happened to a node. `from` is its path before, or NULL. */
int watch_report(struct watch *watch, enum report_kind kind, const struct node *node, const char *from);

#endif
