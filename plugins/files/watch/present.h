// What is there when a watch begins.
#ifndef FILES_PRESENT_H
#define FILES_PRESENT_H

struct watch;

/* Takes in the watched path, and what is below it. 0 if the call has failed. */
int take_present(struct watch *watch);

#endif
