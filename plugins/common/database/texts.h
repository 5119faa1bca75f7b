// Texts and bytes that are kept together, in memory that does not move, until all of them are freed.
#ifndef COMMON_TEXTS_H
#define COMMON_TEXTS_H

#include <spinhost/plugin.h>
#include <stddef.h>

struct texts_block;

/* Zeroed memory has no texts. */
struct texts {
    struct texts_block *blocks;
};

/* Keeps a copy of bytes; 0 for want of memory. */
int texts_keep(struct texts *texts, const void *data, size_t size, const char **kept);

/* Keeps a copy of a text, with U+FFFD in place of bytes that are not UTF-8; 0 for want of memory. */
int texts_keep_repaired(struct texts *texts, const char *data, size_t size, spin_string *kept);

void texts_free(struct texts *texts);

#endif
