/* The polls and timers of the test's host, for plugins without threads. Timers follow a clock that the test sets. */
#ifndef PLUGIN_TEST_POLLS_H
#define PLUGIN_TEST_POLLS_H

#include <spinhost/plugin.h>

/* Begins the thread that calls the functions of polls, and ends it. */
void polls_begin(void);
void polls_close(void);

/* The call that lasts until the test cancels it, for the next `start` of an instance. */
void polls_set_instance_call(spin_call *call);

/* Waits until a timer is due within this time. */
void host_await_timer(spin_duration within);

/* Lets this time pass, and calls the functions of timers that become due. */
void host_advance(spin_duration time);

/* For the host: a service, or NULL, and the end of a call's polls and timers. */
const void *polls_service(const char *id);
void polls_end(spin_call *call);

#endif
