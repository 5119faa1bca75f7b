// Settings that change while the instance runs.
#ifndef GPIO_CHANGE_H
#define GPIO_CHANGE_H

#include "../gpio.h"

/* Sets the lines that are held as the settings say now. 0, and why not in `reason`; some may be set then. Outputs keep
 * what they drive. */
bool change_held(spin_self *self, char reason[most_reason]);

/* Takes these settings over, or says why not and changes nothing. */
bool change_settings(spin_self *self, const spin_config *config, char reason[most_reason]);

#endif
