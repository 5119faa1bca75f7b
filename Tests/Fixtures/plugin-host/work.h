/* The threads of the test's host that may block. */
#ifndef PLUGIN_TEST_WORK_H
#define PLUGIN_TEST_WORK_H

#include <spinhost/plugin.h>

/* Waits until all functions have returned, also those that they have asked for meanwhile. */
void host_await_work(void);

/* For the host. */
const void *work_service(void);

#endif
