// Names that match a part of a pattern.
#ifndef FILES_WILDCARD_H
#define FILES_WILDCARD_H

/* Whether a name matches a part, 1 or 0. Each wildcard matches characters of UTF-8, and not bytes. The time is at most
 * the product of both sizes. */
int wildcard_matches(const char *part, const char *name);

#endif
