/* A chip of gpio-sim with eight lines, whose names are `a` to `h`. */
#ifndef GPIO_TEST_SIM_H
#define GPIO_TEST_SIM_H

#include <stdbool.h>

/* Whether this machine can make such chips. */
bool sim_is_there(void);

/* Plugs the chip in, and out. Its label is `board`. */
void sim_plug(void);
void sim_unplug(void);

/* Its name, such as `gpiochip0`. */
const char *sim_name(void);

/* Pulls an input up or down. The voltage of any line. */
void sim_pull(int line, bool is_up);
int sim_value(int line);

#endif
