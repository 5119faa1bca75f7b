/* What instances save for others. */
#ifndef PLUGIN_TEST_SAVED_H
#define PLUGIN_TEST_SAVED_H

#include <spinhost/plugin.h>
#include <stddef.h>

/* What an instance has saved last. */
extern char saved_bytes[1 << 18];
extern size_t saved_size;

/* Has an instance save its state, and another one that has not started restore it. */
void save(spin_self *self);
void restore_saved(spin_self *next);

/* Has an instance restore these bytes, which may be damaged. */
spin_status restore(spin_self *self, const void *data, size_t size);

#endif
