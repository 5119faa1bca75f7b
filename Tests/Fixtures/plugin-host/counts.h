/* Many emissions that are numbers, which the transcript of a call would have no room for. */
#ifndef PLUGIN_TEST_COUNTS_H
#define PLUGIN_TEST_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Notes a number as digits: they must come as 1, 2 and so on, without those that were missing before. */
void note_number(const void *digits, size_t size);

/* Notes that the next numbers are missing, as the plugin has reported. */
void note_missing(int64_t count);

/* How many numbers have come since the last await_count. */
int counted(void);

/* Waits until so many numbers have come or are missing, and begins from 1 again. Returns how many were missing. */
int await_count(int count);

#endif
