// Why something has failed.
#ifndef COMMON_PROBLEM_H
#define COMMON_PROBLEM_H

#include "../../std/utf8.h"

enum { problem_size = 1024 };

struct problem {
    int code; /* its meaning is up to the plugin */
    char text[problem_size * UTF8_REPAIRED_GROWTH + 1];
};

/* Sets both. Returns 0, which says that a function has failed. */
__attribute__((format(printf, 3, 4))) int problem_set(struct problem *problem, int code, const char *format,
                                                      ...);

#endif
