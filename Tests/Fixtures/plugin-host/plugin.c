#include "plugin.h"
#include <stdlib.h>
#include <string.h>

extern const struct spin_entry spin_entry;

void plugin_load(const spin_host *host) { *spin_entry.host = host; }

static const void *described(int kind, const char *name) {
    for (const spin_description *const *next = spin_entry.descriptions; next < spin_entry.descriptions_end;
         next++)
        if ((*next)->kind == kind && (!name || strcmp(((const spin_effect *)*next)->name, name) == 0))
            return *next;
    abort();
}

const struct spin_plugin_instance *plugin_instance(void) { return described(SPIN_KIND_INSTANCE, NULL); }
const struct spin_plugin_life *plugin_life(void) { return described(SPIN_KIND_LIFE, NULL); }
const struct spin_plugin_swap *plugin_swap(void) { return described(SPIN_KIND_SWAP, NULL); }
const struct spin_plugin_reconfigure *plugin_reconfigure(void) {
    return described(SPIN_KIND_RECONFIGURE, NULL);
}

void (*plugin_effect(const char *name))(void) {
    return ((const spin_effect *)described(SPIN_KIND_EFFECT, name))->function;
}
