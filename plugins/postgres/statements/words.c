#include "words.h"
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* The most characters of a word that are kept; a longer one is another word. */
enum { longest_word = 16 };

// Comments of PostgreSQL nest.
static const char *skip_comment(const char *text) {
    int depth = 0;
    do {
        if (text[0] == '/' && text[1] == '*')
            depth++, text += 2;
        else if (text[0] == '*' && text[1] == '/')
            depth--, text += 2;
        else
            text++;
    } while (depth > 0 && *text);
    return text;
}

// Skips what may stand before a word. An empty statement before another one counts for nothing.
static const char *skip(const char *text) {
    for (;;) {
        text += strspn(text, " \t\r\n\f\v;(");
        if (text[0] == '-' && text[1] == '-')
            text += strcspn(text, "\r\n");
        else if (text[0] == '/' && text[1] == '*')
            text = skip_comment(text);
        else
            return text;
    }
}

static const char *take(const char *text, char word[longest_word]) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    text = skip(text);
    size_t size = strspn(text, letters);
    size_t kept = size < longest_word ? size : 0;
    memcpy(word, text, kept);
    word[kept] = 0;
    return text + size;
}

static bool is_one_of(const char *word, const char *const words[]) {
    while (*words && strcasecmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

const char *words_refusal(const char *sql, bool is_amid) {
    static const char *const ends[] = {"begin",    "start",     "commit",  "end", "abort",
                                       "rollback", "savepoint", "release", NULL};
    static const char *const lasts[] = {"prepare", "execute", "deallocate", "declare", "fetch", "move",
                                        "close",   "reset",   "discard",    "load",    NULL};
    static const char *const local[] = {"local", "transaction", "constraints", NULL};
    char word[longest_word];
    const char *rest = take(sql, word);
    if (is_one_of(word, ends))
        return "a statement cannot begin or end a transaction; the effect `transaction` does";
    if (is_one_of(word, lasts))
        return "a statement cannot change the connection, which others use, too";
    if (strcasecmp(word, "set") == 0) {
        take(rest, word);
        if (!is_amid || !is_one_of(word, local))
            return "a statement cannot change the connection; in `transaction`, `SET LOCAL` is possible";
    }
    if (strcasecmp(word, "listen") == 0 || strcasecmp(word, "unlisten") == 0)
        return "the effect `listen` listens to a channel";
    return strcasecmp(word, "copy") == 0 ? "`COPY` is not possible" : NULL;
}

bool words_read(const char *sql) {
    static const char *const reading[] = {"select", "values", "table", "show", "explain", NULL};
    char word[longest_word];
    take(sql, word);
    return is_one_of(word, reading);
}
