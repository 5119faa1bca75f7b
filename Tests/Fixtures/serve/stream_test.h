// The part of the test that is about answers whose bodies come in parts.
#ifndef SERVE_STREAM_TEST_H
#define SERVE_STREAM_TEST_H

#include "serve.h"

void test_streams(spin_self *self);

/* With an instance of its own. */
void test_end_of_streams(void);

#endif
