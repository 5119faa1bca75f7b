// What the settings say of lines.
#ifndef GPIO_SETTINGS_H
#define GPIO_SETTINGS_H

#include "kernel/kernel.h"

/* NULL, or why settings are not valid, in `reason`. */
const char *settings_fault(const spin_config *config, char reason[most_reason]);

/* The flags of inputs and of outputs, and for how long inputs are debounced. */
uint64_t settings_input(const spin_config *config);
uint64_t settings_output(const spin_config *config);
uint32_t settings_debounce(const spin_config *config);

/* Whether a list has a text. */
bool list_has(spin_list_string list, spin_string text);

#endif
