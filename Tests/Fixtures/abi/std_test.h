/* What the files of std_test share. */
#ifndef STD_TEST_H
#define STD_TEST_H

#include <StandardPlugin.h>

/* Counts and shows a failure unless the transcript since the last call is this one. */
void expect(const char *name, const char *transcript);

/* Counts and shows a failure unless `holds`. */
void check(const char *name, int holds);

/* The effects that wait for descriptors. */
void test_effects(void);

#endif
