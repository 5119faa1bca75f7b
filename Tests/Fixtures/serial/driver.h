/* A driver that pseudo-terminals do not have: it answers some of the plugin's calls of ioctl. */
#ifndef SERIAL_TEST_DRIVER_H
#define SERIAL_TEST_DRIVER_H

#include <stddef.h>

/* From now on it answers, or the system does. */
void driver_begin(void);
void driver_end(void);

/* The rate that it sets in place of any other one; 0 sets what is asked. */
void driver_set_rate(unsigned rate);

/* The lines that the other side sets (TIOCM_…), and how many bytes are not sent yet. */
void driver_set_lines(int lines);
void driver_set_unsent(int count);

/* Waits until what it was asked for is this text, and forgets it. Its lines are `break`, `end`, `lines LINES`, and
 * `drop` for bytes that are not sent. */
void driver_await(const char *text);

/* Waits until it was asked for the bytes that are not sent. */
void driver_await_look(void);

/* Waits until the plugin has read so many bytes since the last time. */
void driver_await_read(size_t size);

/* Calls the function once, after the next write of the plugin and before the plugin knows how much it has written. */
void driver_after_write(void (*function)(void));

/* What the plugin has set last: the bits of c_cflag and c_iflag. */
unsigned driver_control(void);
unsigned driver_input(void);

#endif
