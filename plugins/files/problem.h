// Why something cannot be done.
#ifndef FILES_PROBLEM_H
#define FILES_PROBLEM_H

#include "files.h"

struct problem {
    int error;          /* an errno */
    const char *reason; /* what a person reads; it lives as long as the plugin */
};

/* Sets a problem, with the text of the error if there is no reason. Both return 0. */
int problem_set(struct problem *problem, int error, const char *reason);
int problem_of_errno(struct problem *problem);

#endif
