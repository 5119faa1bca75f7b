/* The world of an instance: a pseudo-terminal as its device, and calls of its effects. */
#ifndef SERIAL_TEST_WORLD_H
#define SERIAL_TEST_WORLD_H

#include <asm/termbits.h>
#include "serial.h"
#include "../plugin-host/host.h"
#include "../plugin-host/instances.h"
#include "../plugin-host/polls.h"
#include "../plugin-host/saved.h"
#include <stddef.h>

#define TEXT(literal) ((spin_string){literal, sizeof literal - 1})

/* The settings of the next instance. The device is `port`, a link to the pseudo-terminal. */
extern struct spin_config config;
void reset_config(void);

/* The other side of the port. */
extern int peer;

/* Plugs a new pseudo-terminal in, and out. */
void plug(void);
void unplug(void);

/* The side of the pseudo-terminal that the instance opens, opened by the test too. */
int open_device(void);
struct termios2 settings_of(int device);

/* Calls an effect: each `write` is a run of its own, or the one of the key. */
spin_call *call_open(spin_self *self);
spin_call *call_lines(spin_self *self, int room);
spin_call *call_frames(spin_self *self, const char *framing);
spin_call *call_signals(spin_self *self);
spin_call *call_write(spin_self *self, const void *data, size_t size);
spin_call *call_write_again(spin_self *self, const void *data, size_t size, const char *key);
spin_call *call_set(spin_self *self, int dtr, int rts);
spin_call *call_break(spin_self *self, spin_duration time);

/* From now on lines are numbers from 0 in order, which are checked. After so many of them the transcript is `all`. */
void count_lines(int64_t count);

/* Waits until a call reads: what comes before the first one is dropped. */
void await_begin(spin_self *self);

/* Sends to the port, and expects bytes from it. */
void say(const void *data, size_t size);
void hear(const void *expected, size_t size);

/* Hears only `a` and then the text, behind which nothing comes; how many there were. */
size_t hear_until(const char *text);

/* The parts of the test. */
void test_modes(void);
void test_swaps(void);
void test_pauses(void);
void test_reading(void);
void test_writing(void);
void test_lines_of_modems(void);

#endif
