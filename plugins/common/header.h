// Headers as texts `Name: value`.
#ifndef COMMON_HEADER_H
#define COMMON_HEADER_H

#include <spinhost/plugin.h>
#include <stddef.h>

/* The number of characters at the start of a text that a method or the name of a header may have (RFC 9110, section
 * 5.6.2). */
size_t token_size(const char *text, size_t size);

/* Whether the text is a header. Otherwise writes why not, without the value. */
int header_is_text(spin_string text, char *reason, size_t capacity);

/* Whether the text is a header of HTTP that an app may set. Otherwise writes why not, without the value. */
int header_is_valid(spin_string text, char *reason, size_t capacity);

/* Whether a header has this name, or that of the other header; case does not matter. */
int has_name(const char *header, const char *name);

#endif
