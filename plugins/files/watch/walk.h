// Walks along a path as the kernel does, and has inotify tell of each folder and link on the way.
#ifndef FILES_WALK_H
#define FILES_WALK_H

#include "route.h"
#include "../problem.h"

/* Walks the watched path from its begin, as far as it leads, and adds the steps to a route. 0 with a problem that
 * leaves no way on; `problem` also says why the route is not found. */
int walk(struct watch *watch, struct route *route, struct problem *problem);

#endif
