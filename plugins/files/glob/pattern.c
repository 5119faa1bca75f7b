#include "pattern.h"
#include "wildcard.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define WILDCARDS "*?[\\"

static int is_any_folders(const char *part) { return strcmp(part, "**") == 0; }

static int add(struct pattern *pattern, const char *part, struct problem *problem) {
    if (strlen(part) > NAME_MAX)
        return problem_set(problem, ENAMETOOLONG, NULL);
    if (strcmp(part, ".") == 0 || strcmp(part, "..") == 0)
        return problem_set(problem, EINVAL, "`.` and `..` cannot come behind a wildcard");
    if (pattern->count > 0 && is_any_folders(part) && is_any_folders(pattern->parts[pattern->count - 1]))
        return 1;
    if (pattern->count == most_parts)
        return problem_set(problem, E2BIG, "it has more than 32 parts from its first wildcard on");
    pattern->parts[pattern->count++] = part;
    return 1;
}

// The first part with a wildcard, or the end.
static const char *first_wildcard(const char *text) {
    const char *wildcard = text + strcspn(text, WILDCARDS);
    while (*wildcard && wildcard > text && wildcard[-1] != '/')
        wildcard--;
    return wildcard;
}

// The path before that, where one slash is as good as several.
static char *path_before(const char *text, const char *wildcard) {
    char *path = malloc((size_t)(wildcard - text) + 1);
    size_t size = 0;
    for (const char *next = text; path && next < wildcard; next++)
        if (*next != '/' || size == 0 || path[size - 1] != '/')
            path[size++] = *next;
    size -= size > 1 && path[size - 1] == '/';
    if (path)
        path[size] = 0;
    return path;
}

int pattern_read(struct pattern *pattern, const char *text, struct problem *problem) {
    *pattern = (struct pattern){0};
    const char *wildcard = first_wildcard(text);
    pattern->start = path_before(text, wildcard);
    pattern->text = strdup(wildcard);
    if (!pattern->start || !pattern->text)
        return problem_set(problem, ENOMEM, NULL);
    if (text[strspn(text, "/")] == 0)
        return problem_set(problem, EINVAL, "it is not a pattern");
    char *rest = NULL;
    for (char *part = strtok_r(pattern->text, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
        if (!add(pattern, part, problem))
            return 0;
    // Without a name behind it, `**` matches all files and folders below.
    return pattern->count == 0 || !is_any_folders(pattern->parts[pattern->count - 1]) ||
           add(pattern, "*", problem);
}

void pattern_free(struct pattern *pattern) {
    free(pattern->start);
    free(pattern->text);
}

uint64_t pattern_enter(const struct pattern *pattern, uint64_t reached) {
    for (size_t i = 0; i < pattern->count; i++)
        if (reached >> i & 1 && is_any_folders(pattern->parts[i]))
            reached |= (uint64_t)1 << (i + 1);
    return reached;
}

uint64_t pattern_follow(const struct pattern *pattern, uint64_t places, const char *name, uint64_t *kept) {
    uint64_t reached = 0;
    *kept = 0;
    for (size_t i = 0; i < pattern->count; i++) {
        if (!(places >> i & 1))
            continue;
        if (!is_any_folders(pattern->parts[i]))
            reached |= (uint64_t)wildcard_matches(pattern->parts[i], name) << (i + 1);
        else if (*name != '.')
            *kept |= (uint64_t)1 << i;
    }
    return reached;
}

uint64_t pattern_end(const struct pattern *pattern) { return (uint64_t)1 << pattern->count; }

const char *pattern_only_name(const struct pattern *pattern, uint64_t places) {
    for (size_t i = 0; i < pattern->count; i++)
        if (places == (uint64_t)1 << i && !strpbrk(pattern->parts[i], WILDCARDS))
            return pattern->parts[i];
    return NULL;
}
