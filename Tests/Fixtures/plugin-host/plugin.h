/* What the plugin under test describes. The program ends if it lacks it. */
#ifndef PLUGIN_TEST_PLUGIN_H
#define PLUGIN_TEST_PLUGIN_H

#include <spinhost/plugin.h>

/* Gives the plugin its host: `test_host`, or one that calls it. */
void plugin_load(const spin_host *host);

const struct spin_plugin_instance *plugin_instance(void);
const struct spin_plugin_life *plugin_life(void);
const struct spin_plugin_swap *plugin_swap(void);
const struct spin_plugin_reconfigure *plugin_reconfigure(void);

/* The function of an effect. */
void (*plugin_effect(const char *name))(void);

#endif
