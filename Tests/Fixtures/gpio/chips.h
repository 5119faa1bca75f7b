/* Chips that the test plugs in: they answer the plugin in place of the kernel. Values are voltages: 1 is high. */
#ifndef GPIO_TEST_CHIPS_H
#define GPIO_TEST_CHIPS_H

#include <stdbool.h>
#include <stdint.h>

/* How many lines a chip has. Line 0 has the name `a`, 1 `b` and so on; the last two are both `twin`. */
enum { line_count = 8 };

/* Plugs in the chip `gpiochipNUMBER`. All of its lines are inputs, and low. */
void chip_plug(int number, const char *label);

/* Unplugs it. What it has sent can be read still, and all else fails. */
void chip_unplug(int number);

/* From now on, opening it fails with this error number; 0: it does not. */
void chip_deny(int number, int error);

/* From now on, requests of a line fail; 0: they do not. */
void chip_refuse(int number, uint32_t line, int error);

/* Another program takes a line, or lets go of it (NULL). */
void chip_occupy(int number, uint32_t line, const char *program);

/* Whether a released output becomes an input that is low, as with some drivers. Otherwise it stays. */
void chip_set_resets(int number, bool resets);

/* Sets what an input has from outside. */
void chip_input(int number, uint32_t line, int value);

/* The kernel drops so many edges of the request that has a line. */
void chip_skip(int number, uint32_t line, uint32_t count);

/* What an output drives; -1 if the line is not one. */
int chip_output(int number, uint32_t line);

/* Whether the plugin holds a line; waits until it does not. */
bool chip_is_held(int number, uint32_t line);
void chip_await_release(int number, uint32_t line);

/* How a held line is set (GPIO_V2_LINE_FLAG_…, and microseconds), and who holds it. */
uint64_t chip_flags(int number, uint32_t line);
uint32_t chip_debounce(int number, uint32_t line);
const char *chip_consumer(int number, uint32_t line);

/* Has all that the plugin asks of chips wait, until the same thread lets it continue. */
void chips_hold(void);
void chips_continue(void);

/* All that was driven since the last time, and since a chip was plugged in: `LINE=VALUE` each time, also when the value
 * was the same before. */
const char *chip_driven(void);

/* How often the plugin has looked for a label. */
int chip_looks(void);

#endif
