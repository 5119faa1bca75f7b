// Finds the bytes that are UTF-8, and replaces the others.
#ifndef STD_UTF8_H
#define STD_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The number of bytes at the start of the text that are UTF-8; `size` when all are. */
size_t utf8_valid(const char *text, size_t size);

/* Takes one character from the start of a text, which is not empty and ends with a zero. A byte that is not UTF-8
 * is a character of its own. */
uint32_t utf8_next(const char **text);

/* A repaired text has at most this number of times the bytes. */
#define UTF8_REPAIRED_GROWTH 3

/* Copies the text to `target`, with U+FFFD for each longest part that begins a character and does not end it,
 * as the Unicode standard recommends. Returns the size of the copy. */
size_t utf8_repair(const char *text, size_t size, char *target);

#endif
