/* Programs that the test begins. */
#ifndef PLUGIN_TEST_PROGRAMS_H
#define PLUGIN_TEST_PROGRAMS_H

/* Reads what a program writes until it has written these words; 0 if it ends before. */
int await_words(int output, const char *words);

#endif
