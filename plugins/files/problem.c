#include "problem.h"
#include <errno.h>
#include <string.h>

int problem_set(struct problem *problem, int error, const char *reason) {
    if (!reason)
        reason = strerrordesc_np(error);
    *problem = (struct problem){error, reason ? reason : "unknown error"};
    return 0;
}

int problem_of_errno(struct problem *problem) { return problem_set(problem, errno, NULL); }
