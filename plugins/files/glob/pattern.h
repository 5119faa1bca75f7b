// A pattern of paths, as parts between slashes.
//
// A set of places says how far a path matches: with bit `i`, the part `i` comes next. So a folder is looked into once,
// in however many ways the pattern leads there.
#ifndef FILES_PATTERN_H
#define FILES_PATTERN_H

#include "../problem.h"
#include <stddef.h>

enum { most_parts = 32 };

struct pattern {
    /* The path before the first part with a wildcard, without a slash at its end. */
    char *start;
    /* The parts from there on. The last one is not `**`, and no two of these follow each other. */
    const char *parts[most_parts];
    size_t count;
    char *text; /* of the parts */
};

/* Reads a pattern, which the caller frees in either case. 0 with a problem. */
int pattern_read(struct pattern *pattern, const char *text, struct problem *problem);
void pattern_free(struct pattern *pattern);

/* The places in a folder that was reached by these: a `**` may match nothing, too. */
uint64_t pattern_enter(const struct pattern *pattern, uint64_t reached);

/* The places that a name in a folder leads to. `*kept`: those where a `**` has matched it, and may match more. */
uint64_t pattern_follow(const struct pattern *pattern, uint64_t places, const char *name, uint64_t *kept);

/* The place behind the last part. */
uint64_t pattern_end(const struct pattern *pattern);

/* The name that alone can match at these places; NULL if others can, too. */
const char *pattern_only_name(const struct pattern *pattern, uint64_t places);

#endif
