// The table of a plugin whose macros are those of Swift. The linker takes this file only when the plugin has
// no SPIN_PLUGIN in C.
//
// Swift fills a section with constants, but cannot have the address of one constant in another. So a macro
// writes a record into the section `spin_swift`: a description without its texts, then the texts. It also
// leaves room for a pointer in the section `spin_descriptions`. A constructor puts in the addresses when the
// library is loaded.
#include <spinhost/plugin.h>

typedef struct spin_swift_record {
    uint64_t size; // of the whole record, a multiple of 8
    spin_description description;
} spin_swift_record;

extern __attribute__((weak, visibility("hidden"))) char __start_spin_swift[];
extern __attribute__((weak, visibility("hidden"))) char __stop_spin_swift[];

const spin_host *spin_plugin_host = NULL;

extern SPIN_EXPORT struct spin_entry spin_entry;
struct spin_entry spin_entry = {
    .size = sizeof(struct spin_entry),
    .abi_major = SPIN_ABI_MAJOR,
    .host = &spin_plugin_host,
    .descriptions = __start_spin_descriptions,
    .descriptions_end = __stop_spin_descriptions,
};

// The text behind the NUL of this one.
static const char *next(const char *text) { return text + __builtin_strlen(text) + 1; }

// The texts follow the description in the order of its members.
static void set_texts(spin_swift_record *record) {
    const char *text = (const char *)&record->description + record->description.size;
    switch (record->description.kind) {
    case SPIN_KIND_PLUGIN:
        spin_entry.id = next(text);
        spin_entry.version = next(spin_entry.id);
        break;
    case SPIN_KIND_EFFECT: {
        spin_effect *effect = (spin_effect *)&record->description;
        effect->name = text;
        effect->prototype = next(effect->name);
        effect->fails_if = next(effect->prototype);
        effect->doc = next(effect->fails_if);
        break;
    }
    case SPIN_KIND_EMITTER: {
        spin_emitter *emitter = (spin_emitter *)&record->description;
        emitter->name = text;
        emitter->prototype = next(emitter->name);
        emitter->doc = next(emitter->prototype);
        break;
    }
    }
}

static __attribute__((constructor)) void fill_table(void) {
    // Macros of C in another file of the library have filled their pointers already.
    const spin_description **place = (const spin_description **)__start_spin_descriptions;
    for (char *at = __start_spin_swift; at < __stop_spin_swift;) {
        spin_swift_record *record = (spin_swift_record *)at;
        set_texts(record);
        if (record->description.kind != SPIN_KIND_PLUGIN) {
            while (*place)
                place++;
            *place++ = &record->description;
        }
        at += record->size;
    }
}
