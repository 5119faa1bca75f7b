// Looks at what a watch has marked, and compares it with what it knew.
#ifndef FILES_LOOK_H
#define FILES_LOOK_H

#include "watch.h"

/* Looks at a node, and reports what has changed. The node may be gone then. 0 if the call has failed. */
int look(struct watch *watch, struct node *node);

/* Marks all there was and all there is, as notices were lost. 0 if the call has failed. */
int look_everywhere(struct watch *watch);

#endif
