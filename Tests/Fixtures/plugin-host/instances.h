/* The instances of a plugin that has settings, and starts and stops. The test defines its settings: `config`. */
#ifndef PLUGIN_TEST_INSTANCES_H
#define PLUGIN_TEST_INSTANCES_H

#include <spinhost/plugin.h>

/* Makes an instance, or one that starts too; why it cannot is the text of the call. */
spin_self *create(void);
spin_self *make(void);
const char *reason_of_create(void);
const char *reason_of_start(spin_self *self);

void start(spin_self *self);
void stop(spin_self *self);

/* Cancels the call of an instance, which so runs no more, as the host does before it stops the instance. */
void halt(spin_self *self);
void destroy(spin_self *self);

/* Another instance that restores what this one saves. It has not started. */
spin_self *take_over(spin_self *self);

#endif
