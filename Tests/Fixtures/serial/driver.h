/* A driver that pseudo-terminals do not have: it answers some of the plugin's calls of ioctl. */
#ifndef SERIAL_TEST_DRIVER_H
#define SERIAL_TEST_DRIVER_H

/* From now on it answers, or the system does. */
void driver_begin(void);
void driver_end(void);

/* The rate that it sets in place of any other one; 0 sets what is asked. Bits of c_cflag that it always sets. */
void driver_set_rate(unsigned rate);
void driver_set_control(unsigned bits);

/* The lines that the other side sets (TIOCM_…), and how many bytes are not sent yet. */
void driver_set_lines(int lines);
void driver_set_unsent(int count);

/* Whether the hardware has sent all of its bytes: 1 at first, 0, or -1 if the driver cannot say. */
void driver_set_is_sent(int is_sent);

/* Waits until what it was asked for is this text, and forgets it. Its lines are `break`, `end`, `lines LINES`, `drop`
 * for bytes that are not sent, and `settings` for those that it sets when all bytes are sent. */
void driver_await(const char *text);

/* Waits until it was asked for the bytes that are not sent. */
void driver_await_look(void);

/* What the plugin has set last: the bits of c_cflag and c_iflag. */
unsigned driver_control(void);
unsigned driver_input(void);

#endif
