// Which bytes are UTF-8, and what to make of those that are not.
#ifndef STD_UTF8_H
#define STD_UTF8_H

#include <stddef.h>

/* How many bytes at the start of the text are UTF-8: all of them when the answer is `size`. */
size_t utf8_valid(const char *text, size_t size);

/* A repaired text has at most so many times the bytes. */
#define UTF8_REPAIRED_GROWTH 3

/* Copies the text to `target`, with U+FFFD for each longest part that begins a character and does not end it, as the
 * Unicode standard recommends. Answers the size of the copy. */
size_t utf8_repair(const char *text, size_t size, char *target);

#endif
