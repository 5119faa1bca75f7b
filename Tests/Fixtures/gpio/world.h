/* The world of an instance: chips, and calls of its effects. */
#ifndef GPIO_TEST_WORLD_H
#define GPIO_TEST_WORLD_H

#include "../plugin-host/host.h"
#include "../plugin-host/instances.h"
#include "../plugin-host/polls.h"
#include "../plugin-host/saved.h"
#include "chips.h"
#include "gpio.h"
#include <stddef.h>

#define TEXT(literal) ((spin_string){literal, sizeof literal - 1})

/* A list of texts. */
#define TEXTS(...) texts((const char *const[]){__VA_ARGS__, NULL})
spin_list_string texts(const char *const *all);

/* The settings of the next instance: the chip `gpiochip0`, without outputs. */
extern struct spin_config config;
void reset_config(void);

/* Calls an effect. Each call of `edges` is a run of its own, or the one of the key. */
spin_call *ask_edges(spin_self *self, spin_list_string lines, int room);
spin_call *ask_edges_again(spin_self *self, spin_list_string lines, const char *key);
spin_call *ask_set(spin_self *self, const char *line, bool level);
spin_call *ask_get(spin_self *self, const char *line, int room);

/* Waits until the plugin has set a line, or read it. */
void set(spin_self *self, const char *line, bool level);
const char *get(spin_self *self, const char *line);

/* How many levels the instances had emitted before the last level of this line. */
int levels_before(char line);

/* Lets time pass until a line can be read, which needs the plugin to try again. */
void pass_until(spin_self *self, const char *line);

/* Gives an instance, which has the settings `before`, those of `config`. It takes them over, or says why not. `config`
 * is `before` then. */
void reconfigure(spin_self *self, const struct spin_config *before);
const char *reason_of_reconfigure(spin_self *self, const struct spin_config *before);

/* Ends an instance. */
void end(spin_self *self);

/* An instance whose outputs `c` and `d` are active; `d` is active when it is low. The chip resets lines that nobody
 * holds, so a moment without a holder shows. */
spin_self *make_to_swap(void);

/* An instance that drives the open-drain output `c` high, while another device pulls the line low. */
spin_self *make_pulled_low(void);

/* The parts of the test. */
void test_settings(void);
void test_labels(void);
void test_outputs(void);
void test_edges(void);
void test_queues(void);
void test_losses(void);
void test_swaps(void);
void test_crashes(void);
void test_changes(void);
void test_worker(void);

#endif
