// Checks of subjects, and of names within them.
#ifndef NATS_SUBJECT_H
#define NATS_SUBJECT_H

#include "../nats.h"

/* The most bytes of a subject. The line of a command has 4096 at most, with two subjects. */
enum { longest_subject = 1024 };

/* NULL, or why messages cannot have this subject. */
const char *subject_fault(spin_string subject);

/* NULL, or why calls cannot subscribe to this subject, which may have `*` and `>`. */
const char *pattern_fault(spin_string subject);

/* Whether the text is one part of a subject, such as the name of a stream. */
int is_subject_part(spin_string name);

/* Whether two texts are the same. */
int is_same(spin_string one, spin_string other);

/* The number that is the last part of a subject; 0 if that part is not one. */
uint64_t subject_number(spin_string subject);

#endif
