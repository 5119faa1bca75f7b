/* Calls of the system that the plugin makes: the test sees them, and changes some. */
#ifndef SERIAL_TEST_SYSTEM_H
#define SERIAL_TEST_SYSTEM_H

#include <stddef.h>

/* Waits until the plugin has read so many bytes since the last time. */
void system_await_read(size_t size);

/* The next read of the plugin fails as if the device had gone. */
void system_fail_read(void);

/* Whether sleeps of the plugin take no time; for how many nanoseconds it would have slept since then. */
void system_skip_sleeps(int is_now);
long long system_slept(void);

/* Calls the function once, after the next write of the plugin and before the plugin knows how much it has written. */
void system_after_write(void (*function)(void));

#endif
