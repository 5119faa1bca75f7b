/* What the files of the test share. */
#ifndef HTTP_TEST_H
#define HTTP_TEST_H

#include "http.h"

extern struct spin_config config;

/* The URL of a path of the test's server. */
spin_string url(const char *scheme, const char *path);

/* Starts and stops an instance. */
void begin(spin_self *self);
void end(spin_self *self);

/* Tests the effects for WebSockets with an instance that has started, and leaves it so. */
void test_sockets(spin_self *self);

/* Tests what the bytes of a server become. */
void test_frames(void);

#endif
