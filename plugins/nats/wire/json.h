// JSON in the messages of servers: members of an object, wherever they are valid. It takes memory of nobody, and reads
// each byte a fixed number of times.
#ifndef NATS_JSON_H
#define NATS_JSON_H

#include "../nats.h"
#include <stddef.h>

/* The text of the value of a member, in an object; without data if there is not such a member. */
spin_string json_member(spin_string object, const char *name);

/* The value as a number that is whole, or `otherwise`. */
int64_t json_integer(spin_string value, int64_t otherwise);

/* Whether the value is `true`. */
int json_is_true(spin_string value);

/* Copies the value, which is a text, with a NUL. A longer text is cut off between characters, U+FFFD replaces bytes
 * that are not UTF-8, and other values are an empty text. Returns the size without the NUL. */
size_t json_text(spin_string value, char *text, size_t capacity);

#endif
