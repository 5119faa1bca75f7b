#include "trouble.h"
#include <string.h>

int trouble_begins(spin_string error, const char *start) {
    size_t size = strlen(start);
    return error.size >= size && memcmp(error.data, start, size) == 0;
}

// Whether the code of an error is this one.
static int has_code(spin_string error, const char *code) {
    size_t size = strlen(code);
    return trouble_begins(error, code) && (error.size == size || error.data[size] == ' ');
}

const char *trouble_away(spin_string error) {
    static const char *const causes[][2] = {
        {"LOADING", "the server is loading its data"},
        {"READONLY", "the server is a replica, which takes no changes"},
        {"MASTERDOWN", "the server is a replica without a link to its master"},
        {"NOAUTH", "the server wants a password (settings `user` and `password`)"}};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (has_code(error, causes[i][0]))
            return causes[i][1];
    return NULL;
}

enum trouble trouble_of(spin_string error) {
    static const char *const passing[] = {"MISCONF",  "BUSY",       "OOM",      "CLUSTERDOWN",
                                          "TRYAGAIN", "NOREPLICAS", "UNBLOCKED"};
    if (trouble_away(error))
        return TROUBLE_AWAY;
    if (has_code(error, "NOGROUP"))
        return TROUBLE_NO_GROUP;
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (has_code(error, passing[i]))
            return TROUBLE_PASSES;
    return TROUBLE_LASTS;
}
