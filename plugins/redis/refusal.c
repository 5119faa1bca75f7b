#include "refusal.h"
#include <string.h>
#include <strings.h>

static int is_word(const struct words *words, size_t place, const char *text) {
    return place < words->count && words->sizes[place] == strlen(text) &&
           strncasecmp(words->data[place], text, words->sizes[place]) == 0;
}

struct group {
    const char *why;
    const char *names[32];
};

static const struct group groups[] = {
    {"it would hold up the commands behind it, as it may wait",
     {"BLPOP", "BRPOP", "BRPOPLPUSH", "BLMOVE", "BLMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP", "WAIT",
      "WAITAOF"}},
    {"it changes the connection, which all commands share",
     {"AUTH", "HELLO", "SELECT", "RESET", "QUIT", "ASKING", "READONLY", "READWRITE", "MULTI", "EXEC",
      "DISCARD", "WATCH", "UNWATCH"}},
    {"the server would send more than one answer, or none: use the effect `subscribe`",
     {"SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"}},
    {"the server would send more than one answer, or none", {"MONITOR", "SYNC", "PSYNC", "REPLCONF"}},
};

// Whether `XREAD` or `XREADGROUP` has this option before its streams.
static int may_block(const struct words *words) {
    if (!is_word(words, 0, "XREAD") && !is_word(words, 0, "XREADGROUP"))
        return 0;
    for (size_t i = 1; i < words->count && !is_word(words, i, "STREAMS"); i++) {
        if (is_word(words, i, "BLOCK"))
            return 1;
        if (is_word(words, i, "GROUP")) // The names of the group and the consumer may be any words.
            i += 2;
    }
    return 0;
}

// The parts of these commands that do no harm are many.
static int is_client_mode(const struct words *words) {
    return (is_word(words, 0, "CLIENT") &&
            (is_word(words, 1, "REPLY") || is_word(words, 1, "TRACKING") || is_word(words, 1, "CACHING"))) ||
           (is_word(words, 0, "SCRIPT") && is_word(words, 1, "DEBUG"));
}

const char *refusal_of_command(const struct words *words) {
    if (words->count == 0 || words->sizes[0] == 0)
        return "a command has at least one word";
    if (may_block(words))
        return groups[0].why;
    if (is_client_mode(words))
        return groups[1].why;
    for (const struct group *group = groups; group < groups + sizeof groups / sizeof *groups; group++)
        for (const char *const *name = group->names; *name; name++)
            if (is_word(words, 0, *name))
                return group->why;
    return NULL;
}
