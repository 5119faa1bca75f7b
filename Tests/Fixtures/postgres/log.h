/* The log of the test's host. */
#ifndef POSTGRES_TEST_LOG_H
#define POSTGRES_TEST_LOG_H

#include <spinhost/plugin.h>

/* The test's host, with a log. */
const spin_host *log_host(void);

/* The lines since the last time, without their fields. */
const char *log_take(void);

#endif
