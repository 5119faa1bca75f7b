/* spinhost/plugin.h: the contract between spinhost and a plugin, ABI 2.0.
 *
 * C11, also valid C++17, for gcc 8, clang 12 and later. It depends on nothing but the C library. It changes
 * only by addition. (Longer than 350 lines, because the types, the table and the macros belong together.)
 *
 * A plugin is a shared library. The smallest one:
 *
 *     #include <spinhost/plugin.h>
 *
 *     SPIN_PLUGIN("levels", "1.0.0");
 *
 *     static int64_t step_toward(int64_t from, int64_t to) { return from < to ? from + 1 : from - 1; }
 *     SPIN_EFFECT(int64_t, step_toward, (int64_t from, int64_t to), "One step from `from` toward `to`.");
 *
 *     cc -shared -fPIC levels.c -o levels.so
 *
 * An effect is an ordinary function. The host calls it with arguments that a manifest names, and makes an
 * event of the result. An effect that continues after its return takes `spin_call *` first and emits later:
 *
 *     SPIN_EMITTER(loaded, (const char *, body), (int32_t, status));
 *
 *     static void fetch(spin_call *call, const char *url) { … }    later, from any thread:
 *                                                                  loaded(call, body, 200); spin_finish(call);
 *     SPIN_EFFECT(void, fetch, (spin_call *call, const char *url), "GET of `url`; emits `loaded`.");
 *
 * A plugin that keeps something between calls defines `struct spin_self`. The host makes instances of it by
 * the plugin's functions, and passes one of them to each effect that takes `spin_self *`:
 *
 *     SPIN_CONFIG((spin_string, device, "/dev/ttyS0", "Where it is."),
 *                 (int32_t, rate, 9600, 300, 115200, "Baud."));
 *
 *     struct spin_self { int file; const spin_config *config; };
 *
 *     static spin_self *create(spin_call *call, const spin_config *config) { … NULL, after spin_fail … }
 *     static void destroy(spin_self *self) { … }
 *     SPIN_INSTANCE(create, destroy);
 *
 *     static double read_level(spin_self *self, int32_t channel) { … }
 *     SPIN_EFFECT(double, read_level, (spin_self *self, int32_t channel), "The level of `channel`.");
 *
 * Each macro puts one description into the library's table, `spin_entry`, and writes one ELF note that says
 * the same. With the notes the host knows what the file offers before any of its code runs. The macros are a
 * convenience: any language can fill the table and write the notes (see struct spin_entry).
 *
 * This header has, in this order: types, descriptions and the table; the host's functions; the functions that
 * a plugin calls; the macros; the notes. The rest that the host can do is in services. This header includes
 * all of them, each from `spinhost/services/NAME.h`:
 *     api       tables of functions that one plugin publishes and others use
 *     arena     memory that lives as long as a call
 *     buffer    bytes that an emission shares and does not copy
 *     clock     the host's clocks
 *     instance  a call that lasts until the instance stops, for events that no effect was called for
 *     log       lines for the host's log, with fields
 *     metrics   counters, gauges and histograms
 *     output    lines for the app's data output
 *     poll      functions that the host calls when a descriptor is ready
 *     room      a function that the host calls when a full mailbox has room again
 *     run       the key and the number of a call, for work that must happen once
 *     timer     functions that the host calls after a time, or repeatedly
 *     work      functions that the host calls on a thread of its own
 *
 * Threads. The last line of each comment names the threads that may call the function, or that call it:
 *     [loop]      serial with the reducer of the loop that the call belongs to
 *     [instance]  one call at a time for each instance
 *     [worker]    several calls at once, on threads of the host
 *     [any]       any thread, at any time
 * These are promises about overlap, not names of OS threads. Words after a tag narrow it down, such as
 * "[instance], during `start`".
 *
 * Ownership. The side that has allocated memory frees it. A pointer to text, bytes, lists or a struct is
 * borrowed until the function that takes it returns, unless its comment says otherwise. A function with a
 * `context` says who owns that.
 *
 * Failure. A function that can fail returns a spin_status, or NULL or 0 in place of a value. After a failure
 * nothing has happened, and the caller still owns what it passed, unless the comment says otherwise.
 *
 * Structs. Each struct that host and plugin share as a table begins with its `size`. New members are only
 * appended. A reader uses the members below the smaller of both sizes. Zero is a safe value of every member.
 * No table is an array of structs, so each of them can grow. Its size in ABI 2.0 is its least size.
 *
 * Text is UTF-8. No C++ exception, Swift error or Rust panic may leave a function of a plugin.
 */
#ifndef SPINHOST_PLUGIN_H
#define SPINHOST_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__ELF__) || UINTPTR_MAX != UINT64_MAX
#error "spinhost/plugin.h: plugins are ELF shared libraries for a 64-bit system"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the ABI. The host refuses a plugin of another major, and a plugin that needs a newer minor. What
 * a plugin needs follows from what it declares, not from the header that it was compiled with. */
#define SPIN_ABI_MAJOR 2
#define SPIN_ABI_MINOR 0

/* The newest minor whose declarations a plugin may use. Define it before this header to be sure that the
 * plugin runs in hosts of that minor: the compiler refuses what is newer. */
#ifndef SPIN_ABI_TARGET
#define SPIN_ABI_TARGET SPIN_ABI_MINOR
#elif SPIN_ABI_TARGET > SPIN_ABI_MINOR
#error "spinhost/plugin.h: SPIN_ABI_TARGET is newer than this header"
#endif

/* ------------------------------------------------------------------------------------------------------------
 * Types
 */

/* 0 is success, negative is an error. An unknown code is an error, too. */
typedef int32_t spin_status;

#define SPIN_OK 0
/* From a reducer: it does not handle this event. The host ignores the changes that it made to the state. */
#define SPIN_UNHANDLED 1
/* An error without a code of its own. */
#define SPIN_FAILED (-1)
/* The loop's mailbox is full. The host dropped this event and counted the drop. Later events may fit. */
#define SPIN_FULL (-2)
/* The host has cancelled the call: the loop takes no more events of it. */
#define SPIN_CANCELLED (-3)
/* The call is over (finished, failed, its loop stopped), or the token belongs to no call. */
#define SPIN_STOPPED (-4)
/* An argument is not valid: not UTF-8, null, out of range, not as declared. */
#define SPIN_BAD_VALUE (-5)
/* This host does not offer the function, or not on this thread. */
#define SPIN_UNSUPPORTED (-6)
/* No memory. */
#define SPIN_NO_MEMORY (-7)
/* The host has not introduced itself yet: the call came from a constructor of the library. */
#define SPIN_NO_HOST (-8)

/* Text: `size` bytes of UTF-8 at `data`. Text from the host has a NUL after them, which `size` does not
 * count. */
typedef struct spin_string {
    const char *data;
    size_t size;
} spin_string;

/* `size` bytes at `data`. */
typedef struct spin_bytes {
    const uint8_t *data;
    size_t size;
} spin_bytes;

/* A secret text, such as a password: the type of a setting (SPIN_CONFIG), never of a parameter. */
typedef spin_string spin_secret;

/* Nanoseconds. A manifest may pass "5s" where a prototype has this type. */
typedef int64_t spin_duration;
/* As a time to wait: without a limit. */
#define SPIN_FOREVER ((spin_duration)-1)
/* Nanoseconds since 1970-01-01T00:00:00Z. */
typedef int64_t spin_timestamp;

/* Lists and optionals, for parameters, results and emissions.
 *
 * `spin_list_NAME` is `count` values, one after the other, at `items`. `items` may be NULL when `count` is 0.
 * `spin_optional_NAME` is `value` when `has` is not 0; otherwise there is no value, and `value` means nothing.
 * NAME is the name of the type without `spin_`: spin_list_double, spin_optional_string. SPIN_RECORD defines
 * both for a struct of the plugin. */
#define SPIN_LIST_AND_OPTIONAL(type, name)                                                                   \
    typedef struct spin_list_##name {                                                                        \
        const type *items;                                                                                   \
        size_t count;                                                                                        \
    } spin_list_##name;                                                                                      \
    typedef struct spin_optional_##name {                                                                    \
        uint8_t has;                                                                                         \
        type value;                                                                                          \
    } spin_optional_##name

#ifdef __cplusplus
SPIN_LIST_AND_OPTIONAL(bool, bool);
#else
SPIN_LIST_AND_OPTIONAL(_Bool, bool);
#endif
SPIN_LIST_AND_OPTIONAL(int8_t, int8_t);
SPIN_LIST_AND_OPTIONAL(int16_t, int16_t);
SPIN_LIST_AND_OPTIONAL(int32_t, int32_t);
SPIN_LIST_AND_OPTIONAL(int64_t, int64_t);
SPIN_LIST_AND_OPTIONAL(uint8_t, uint8_t);
SPIN_LIST_AND_OPTIONAL(uint16_t, uint16_t);
SPIN_LIST_AND_OPTIONAL(uint32_t, uint32_t);
SPIN_LIST_AND_OPTIONAL(uint64_t, uint64_t);
SPIN_LIST_AND_OPTIONAL(float, float);
SPIN_LIST_AND_OPTIONAL(double, double);
SPIN_LIST_AND_OPTIONAL(spin_duration, duration);
SPIN_LIST_AND_OPTIONAL(spin_timestamp, timestamp);
SPIN_LIST_AND_OPTIONAL(spin_string, string);
SPIN_LIST_AND_OPTIONAL(spin_bytes, bytes);

/* One running call of an effect. It is a token that is unique in the process, never an address: do not
 * dereference it. The plugin may keep and use it for ever. When the call is over, every function returns an
 * error that says so. */
typedef struct spin_call spin_call;

/* One instance of the plugin. The plugin defines `struct spin_self`; the host knows only the pointer. */
typedef struct spin_self spin_self;

/* The values of the plugin's settings. SPIN_CONFIG defines the struct. */
typedef struct spin_config spin_config;

/* The host's table of functions. See struct spin_host. */
typedef struct spin_host spin_host;

/* ------------------------------------------------------------------------------------------------------------
 * The table of a plugin. The macros below fill it. A plugin in C or C++ needs
 * spin_saved alone of this part, for its `restore`.
 */

/* The kinds of descriptions, in a library's table and in its notes. */
#define SPIN_KIND_PLUGIN 1       /* struct spin_entry */
#define SPIN_KIND_EFFECT 2       /* spin_effect */
#define SPIN_KIND_EMITTER 3      /* spin_emitter */
#define SPIN_KIND_REDUCER 4      /* spin_reducer */
#define SPIN_KIND_LOOP 5         /* spin_loop */
#define SPIN_KIND_INSTANCE 6     /* struct spin_plugin_instance */
#define SPIN_KIND_CONFIG 7       /* struct spin_plugin_config */
#define SPIN_KIND_LIFE 8         /* struct spin_plugin_life */
#define SPIN_KIND_SWAP 9         /* struct spin_plugin_swap */
#define SPIN_KIND_RECORD 10      /* spin_record */
#define SPIN_KIND_RECONFIGURE 11 /* struct spin_plugin_reconfigure */

/* The head of each description in a library's table. */
typedef struct spin_description {
    uint32_t size;  /* of the whole description, with this head */
    uint16_t kind;  /* SPIN_KIND_… */
    uint16_t minor; /* the ABI minor that a host must have to use it; 0 for all kinds above */
} spin_description;

/* An effect: SPIN_EFFECT. All pointers are to constants of the library, valid while it is mapped. */
typedef struct spin_effect {
    spin_description head;
    const char *name;       /* the effect's name, which a manifest writes after `plugin:` */
    const char *prototype;  /* its C prototype, for example "int64_t step_toward(int64_t from, int64_t to)" */
    const char *fails_if;   /* bool expression over `result` and `errno` that means failure; may be empty */
    const char *doc;        /* what it does; may be empty */
    void (*function)(void); /* the function, of the type that `prototype` says */
} spin_effect;

/* An emission: SPIN_EMITTER. Pointers as in spin_effect. The host knows an emission by the address of its
 * description. */
typedef struct spin_emitter {
    spin_description head;
    const char *name;      /* the emission's name, which a manifest writes in `emits.NAME` */
    const char *prototype; /* its fields as parameters: "void loaded(const char * body, int32_t status)" */
    const char *doc;       /* may be empty */
    uint64_t payload_size; /* sizeof the struct of exactly these fields; 0 without fields */
} spin_emitter;

/* A struct that prototypes of this library use: SPIN_RECORD. Pointers as in spin_effect. */
typedef struct spin_record {
    spin_description head;
    const char *name;        /* the name of the C type */
    const char *declaration; /* "struct point { double x; double y; }" */
    uint64_t record_size;    /* sizeof the struct */
} spin_record;

/* One step of a reducer, valid while the reducer runs. */
typedef struct spin_reduction spin_reduction;

struct spin_reduction {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* See spin_alloc. */
    void *(*allocate)(spin_reduction *reduction, size_t size);
};

/* A reducer: SPIN_REDUCER. Pointers as in spin_effect. */
typedef struct spin_reducer {
    spin_description head;
    const char *name;       /* the reducer's name, which a manifest writes after `plugin:` */
    const char *state_type; /* "levels_state" */
    const char *event_type; /* "levels_event" */
    const char *doc;        /* may be empty */
    uint64_t state_size;    /* sizeof both */
    uint64_t event_size;
    void (*function)(void); /* spin_status (*)(spin_reduction *, state_type *, const event_type *) */
} spin_reducer;

/* A loop that the library was compiled for: SPIN_LOOP. Pointers as in spin_effect. */
typedef struct spin_loop {
    spin_description head;
    const char *name;                  /* the loop's name */
    const spin_emitter *const *events; /* one for each event of the loop, in order, then NULL */
} spin_loop;

/* How instances are made and freed: SPIN_INSTANCE. Once in a library. */
struct spin_plugin_instance {
    spin_description head;
    spin_self *(*create)(spin_call *call, const spin_config *config);
    void (*destroy)(spin_self *self);
};

/* The settings: SPIN_CONFIG. */
struct spin_plugin_config {
    spin_description head;
    uint64_t config_size; /* sizeof(spin_config) */
};

/* How instances start and stop: SPIN_LIFE. Once in a library. */
struct spin_plugin_life {
    spin_description head;
    spin_status (*start)(spin_call *call, spin_self *self);
    void (*stop)(spin_self *self);
};

/* Where `save` writes to, valid while it runs. */
typedef struct spin_saving spin_saving;

struct spin_saving {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* See spin_write. */
    spin_status (*write)(spin_saving *saving, const void *data, size_t size);
};

/* The state that another instance has written, for `restore`. Valid while `restore` runs. */
typedef struct spin_saved {
    uint32_t size;
    uint32_t flags;      /* 0 */
    uint32_t schema;     /* the schema of the plugin that wrote it */
    uint32_t reserved;   /* 0 */
    const char *version; /* the version of the plugin that wrote it */
    const uint8_t *data; /* aligned for any type */
    size_t data_size;
} spin_saved;

/* How instances hand over their state: SPIN_SWAP. Once in a library. */
struct spin_plugin_swap {
    spin_description head;
    uint32_t schema;   /* of what `save` writes */
    uint32_t reserved; /* 0 */
    spin_status (*save)(spin_call *call, spin_self *self, spin_saving *saving);
    spin_status (*restore)(spin_call *call, spin_self *self, const spin_saved *saved);
};

/* How instances take over changed settings: SPIN_RECONFIGURE. Once in a library. */
struct spin_plugin_reconfigure {
    spin_description head;
    spin_status (*reconfigure)(spin_call *call, spin_self *self, const spin_config *before,
                               const spin_config *config);
};

/* The table of a library: SPIN_PLUGIN. The library exports it as the constant `spin_entry`, the only symbol
 * that a host looks up. (The struct has no typedef, because the constant has its name.)
 *
 * SPIN_EFFECT and the other macros put their descriptions into the table, in whichever file of the library
 * they are. A plugin in another language writes the constant itself. It lists all descriptions in any order.
 * It may list one address twice, but not two descriptions of one thing. All data lies within the library. It
 * writes the notes, too (see SPIN_NOTE_OWNER). The host refuses a library whose table and notes differ. */
struct spin_entry {
    uint32_t size;
    uint32_t abi_major; /* SPIN_ABI_MAJOR */
    uint32_t abi_minor; /* the ABI minor that the library needs besides that of its descriptions; usually 0 */
    uint32_t flags;     /* 0 */
    const char *id;     /* as in the note */
    const char *version;    /* as in the note */
    const spin_host **host; /* the host stores its table here, once, before it calls any function */
    const spin_description *const *descriptions;     /* the first pointer; NULL without descriptions */
    const spin_description *const *descriptions_end; /* behind the last one */
};

/* ------------------------------------------------------------------------------------------------------------
 * The host's functions
 *
 * The table belongs to the host and stays valid and unchanged while the library is mapped. Plugins call the
 * wrappers of the same names (`spin_emit` …). The comments of the wrappers are true for the members, too.
 */
struct spin_host {
    uint32_t size;
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t flags;      /* 0 */
    uint64_t generation; /* counts the versions of this plugin that this host has loaded, from 1 */
    void *owner;         /* for the host only */

    spin_status (*emit)(spin_call *call, const spin_emitter *emitter, const void *payload);
    spin_status (*finish)(spin_call *call);
    spin_status (*fail)(spin_call *call, spin_status code, const char *text);
    int32_t (*cancelled)(spin_call *call);
    spin_status (*on_cancel)(spin_call *call, void (*function)(void *context), void *context);
    const void *(*service)(const spin_host *host, const char *id);

    spin_status (*emit_wait)(spin_call *call, const spin_emitter *emitter, const void *payload,
                             spin_duration timeout);

    int64_t (*deadline)(spin_call *call);
};

/* ------------------------------------------------------------------------------------------------------------
 * The functions that a plugin calls
 */

/* Where the host stores its table. SPIN_PLUGIN defines it, once in a library. Read it with
 * spin_current_host. */
extern __attribute__((visibility("hidden"))) const spin_host *spin_plugin_host;

#define SPIN_WITHOUT_SERVICE (spin_current_host() ? SPIN_UNSUPPORTED : SPIN_NO_HOST)
#define SPIN_INLINE static inline __attribute__((unused))

#ifdef __cplusplus
#define SPIN_CAST(type, value) reinterpret_cast<type>(value)
#else
#define SPIN_CAST(type, value) ((type)(value))
#endif

/* The host's table. NULL inside a constructor of the library, before the host has introduced itself.
 * [any] */
SPIN_INLINE const spin_host *spin_current_host(void) {
    return __atomic_load_n(&spin_plugin_host, __ATOMIC_ACQUIRE);
}

/* Emits one event of the call. It never waits. `payload` points at a struct of exactly the emitter's fields
 * in C layout (NULL without fields). The functions that SPIN_EMITTER defines pack the struct. Before this
 * returns, the host copies the struct, and the text, bytes and lists that it refers to. Only bytes of
 * spin_buffer_alloc are shared.
 *
 * Returns SPIN_OK when the loop gets the event. Otherwise it gets nothing: SPIN_FULL when its mailbox is full
 * (see spin_on_room), SPIN_CANCELLED or SPIN_STOPPED when the call is over, SPIN_NO_HOST. SPIN_BAD_VALUE for a
 * `const char *` that is NULL, text that is not UTF-8, NULL with a size or count, and more than 1 GiB in one
 * value.
 * [any] */
SPIN_INLINE spin_status spin_emit(spin_call *call, const spin_emitter *emitter, const void *payload) {
    const spin_host *host = spin_current_host();
    return host ? host->emit(call, emitter, payload) : SPIN_NO_HOST;
}

/* Emits like spin_emit, but waits while the loop's mailbox is full: at most `timeout` nanoseconds of the
 * host's clock. 0 does not wait, a negative time (SPIN_FOREVER) waits without a limit. It returns at once
 * when the call is cancelled or its loop stops. Returns as spin_emit does; SPIN_FULL when the time is over,
 * and for more events than the mailbox can ever hold.
 *
 * Only for threads that may block: the plugin's own, [worker], and the functions of spin_work, spin_on_room
 * and polls. On the executor of a loop it does nothing and returns SPIN_UNSUPPORTED, because only that
 * executor can make room. Use spin_emit there: the events that an effect emits before it returns always have
 * room. A timer's function must not call this, as it must not block.
 * [any], except [loop] */
SPIN_INLINE spin_status spin_emit_wait(spin_call *call, const spin_emitter *emitter, const void *payload,
                                       spin_duration timeout) {
    const spin_host *host = spin_current_host();
    return host ? host->emit_wait(call, emitter, payload, timeout) : SPIN_NO_HOST;
}

/* Ends the call; the plugin emits nothing more. Every effect that takes `spin_call *` must end each call with
 * this or `spin_fail`, unless the call was cancelled. It may do so before it returns. Pointers among the
 * effect's arguments are valid until then. Returns SPIN_OK when this ended the call; SPIN_CANCELLED or
 * SPIN_STOPPED when it was over already.
 * [any] */
SPIN_INLINE spin_status spin_finish(spin_call *call) {
    const spin_host *host = spin_current_host();
    return host ? host->finish(call) : SPIN_NO_HOST;
}

/* Ends the call as failed. `code` is the plugin's own and negative (0 counts as SPIN_FAILED). `text` is one
 * NUL-terminated sentence for the user, which the host copies before this returns; NULL counts as empty. A
 * manifest reads both as `error.code` and `error.message`. Returns as spin_finish does.
 * [any] */
SPIN_INLINE spin_status spin_fail(spin_call *call, spin_status code, const char *text) {
    const spin_host *host = spin_current_host();
    return host ? host->fail(call, code, text) : SPIN_NO_HOST;
}

/* 1 when the call was cancelled or is over, so that more work for it has no effect; else 0. Cheap enough for
 * loops.
 * [any] */
SPIN_INLINE int32_t spin_cancelled(spin_call *call) {
    const spin_host *host = spin_current_host();
    return host ? host->cancelled(call) : 1;
}

/* Has the host call `function(context)` when it cancels the call, also when the loop stops. Each call has at
 * most one such function.
 *
 * Exactly one of two things happens. Either the host calls `function` once, on any thread. Or `spin_finish`
 * or `spin_fail` returns SPIN_OK, and the host will not call `function`. The plugin frees `context` in either
 * case. `function` must return soon. It may run while the effect or an emission of this call runs.
 *
 * On failure the host will not call `function`, and the caller still owns `context`: SPIN_CANCELLED or
 * SPIN_STOPPED when the call is over, SPIN_FULL when the call has a function already, SPIN_BAD_VALUE when
 * `function` is NULL, SPIN_NO_HOST.
 * [any] */
SPIN_INLINE spin_status spin_on_cancel(spin_call *call, void (*function)(void *context), void *context) {
    const spin_host *host = spin_current_host();
    return host ? host->on_cancel(call, function, context) : SPIN_NO_HOST;
}

/* The table of a service ("spin.timer/1"); NULL when this host does not have it. The host owns the table. The
 * plugin may keep the pointer while the library is mapped. Cast it to the struct of that id; its `size` says
 * which members this host has.
 * [any] */
SPIN_INLINE const void *spin_service(const char *id) {
    const spin_host *host = spin_current_host();
    return host ? host->service(host, id) : NULL;
}

/* The time when the host cancels the call (`timeout` in the manifest), in nanoseconds of spin_monotonic.
 * INT64_MAX without a timeout, and for a call that is over.
 * [any] */
SPIN_INLINE int64_t spin_deadline(spin_call *call) {
    const spin_host *host = spin_current_host();
    return host ? host->deadline(call) : INT64_MAX;
}

/* Appends `size` bytes at `data` to the saved state; the host copies them. SPIN_NO_MEMORY when there is no
 * memory, and for more than 1 GiB in all; SPIN_BAD_VALUE for NULL with a size.
 * [instance], during `save` */
SPIN_INLINE spin_status spin_write(spin_saving *saving, const void *data, size_t size) {
    return saving->write(saving, data, size);
}

/* `size` bytes that the new state may point to, aligned for any type and not cleared. They belong to the host
 * and are valid until the reducer has returned; the host then copies the data that the state refers to. NULL
 * when there is no memory, or for more than 1 GiB in one step.
 * [loop], during the step */
SPIN_INLINE void *spin_alloc(spin_reduction *reduction, size_t size) {
    return reduction->allocate(reduction, size);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

/* ------------------------------------------------------------------------------------------------------------
 * The declarations of a plugin. Write each macro at file scope, outside of namespaces and functions, with a
 * `;` after it.
 */

/* SPIN_PLUGIN(id, version): names the plugin. Once in a library. Both are string literals.
 *
 * A plugin that is linked into its host's program, and not loaded, defines SPIN_EXPORT as hidden visibility
 * before it includes this header. */
#define SPIN_PLUGIN(id, version)                                                                             \
    SPIN_NOTE(spin_note_plugin, SPIN_KIND_PLUGIN, SPIN_ABI_TEXT "\0" id "\0" version);                       \
    const spin_host *spin_plugin_host = NULL;                                                                \
    SPIN_EXTERN SPIN_EXPORT const struct spin_entry spin_entry;                                              \
    const struct spin_entry spin_entry = {                                                                   \
        sizeof(struct spin_entry), SPIN_ABI_MAJOR,          0, 0, id, version, &spin_plugin_host,            \
        __start_spin_descriptions, __stop_spin_descriptions}

/* SPIN_EFFECT(result, name, (parameters), doc): offers the function `name` as an effect. In C the function
 * may also be defined in another file or language of the same library. Write `(void)` for no parameters. The
 * compiler refuses a result or parameters that differ from the function's.
 *
 * Parameters: integers, float, double, bool, `const char *` (NUL-terminated UTF-8), spin_string, spin_bytes,
 * spin_duration, spin_timestamp, structs of SPIN_RECORD, lists and optionals. Pointers are borrowed until the
 * effect returns; with a first parameter `spin_call *`, until the call is over. The host copies text, bytes
 * and lists of a result at once and never frees them.
 *
 * An effect of a plugin with instances may take `spin_self *` first, or after `spin_call *`. The host passes
 * the instance, never NULL; a manifest does not name it. The host calls such an effect between `start` and
 * `stop`.
 *
 * The host calls an effect on the executor that the manifest chooses: [loop] by default, or [worker]. With
 * `spin_self *` it is [instance]: the loop's executor, or a serial queue when all loops share the instance.
 */
#define SPIN_EFFECT(result, name, parameters, doc)                                                           \
    SPIN_DECLARE_EFFECT(result, name, parameters, #name, #result " " #name #parameters, "", doc)

/* SPIN_EFFECT_CHECKED(result, name, (parameters), doc, fails_if): the same with a string literal, a bool
 * expression over `result` and `errno`. The call has failed when it is true: "result < 0". Not for effects
 * that take `spin_call *`: they report a failure with spin_fail. */
#define SPIN_EFFECT_CHECKED(result, name, parameters, doc, fails_if)                                         \
    SPIN_DECLARE_EFFECT(result, name, parameters, #name, #result " " #name #parameters, fails_if, doc)

/* SPIN_EMITTER(name, (type, field) …): an emission with 0 to 64 fields. Defines
 *
 *     static inline spin_status name(spin_call *call, type field …)
 *
 * which emits one event with these values, and `spin_wait_NAME(call, field …, timeout)`, which waits while
 * the loop's mailbox is full. They return as spin_emit and spin_emit_wait do. Types as for parameters,
 * without `spin_call *`. When several files of a library emit, write it in a header that they include. */
#define SPIN_EMITTER(...) SPIN_DECLARE_EMITTER(__VA_ARGS__, )

/* SPIN_RECORD(name, (type, field) …): a struct with 1 to 64 fields for effects and emissions of this library.
 * Defines the struct `name`, its list `spin_list_NAME` and its optional `spin_optional_NAME`:
 *
 *     SPIN_RECORD(point, (double, x), (double, y));
 *     SPIN_RECORD(track, (spin_string, name), (spin_list_point, points), (spin_optional_point, best));
 *     SPIN_EMITTER(measured, (spin_list_track, tracks));
 *
 * A manifest reads the fields by their names: `value.tracks[0].points[0].x`. Types as for parameters, except
 * `const char *`; also arrays: (double, values[3]). The compiler lays the struct out as any other struct, so
 * the macro must not stand inside `#pragma pack`. When several files of a library use the struct, write it in
 * a header that they include. The host refuses two different structs of one name. */
#define SPIN_RECORD(...) SPIN_DECLARE_RECORD(__VA_ARGS__, )

/* SPIN_REDUCER(name, state_type, event_type, doc): offers the function
 *
 *     spin_status name(spin_reduction *reduction, state_type *state, const event_type *event)
 *
 * as a reducer of a loop. The loop's header, which `spinhost header` writes, declares both types:
 * `LOOP_state` and `LOOP_event`. The compiler refuses a function of another type. The host refuses a header
 * that is out of date.
 *
 * `state` is the loop's state or a copy of it. The reducer changes it in place, and uses it during the call
 * only. `event` has the event's number in `tag` (`LOOP_EVENT_…`) and its fields in `as`. The changed state
 * may refer to text, bytes and lists in memory from spin_alloc, in `event`, in constants, or where the state
 * referred to before. The host copies them. The reducer must not write to memory that the state referred to
 * before.
 *
 * Returns SPIN_OK when `state` is the new state. The host checks it: text must be UTF-8, tags and
 * enumerations must name members that exist, values must be in range. Returns SPIN_UNHANDLED to leave the
 * event to the manifest's `on`. Any other result, and a state that fails the check, is a fault. The loop
 * keeps its old state then, and after SPIN_UNHANDLED.
 *
 * A reducer must compute from its arguments only. It must not wait, and must keep nothing between steps.
 * [loop] */
#define SPIN_REDUCER(name, state_type, event_type, doc)                                                      \
    SPIN_PROVE(spin_status, name,                                                                            \
               (spin_reduction * spin_step, state_type * spin_state, const event_type *spin_event));         \
    SPIN_DECLARE_REDUCER(name, state_type, event_type, doc)

/* SPIN_INSTANCE(create, destroy): the plugin keeps something between calls, in instances of `struct
 * spin_self`. The host makes one for each loop that uses the plugin, or one for the whole app (`instance =
 * "app"` in the manifest). Once in a library. The compiler refuses functions of other types.
 *
 *     spin_self *create(spin_call *call, const spin_config *config)
 *
 * makes an instance, which the plugin owns. `config` has the manifest's values, checked against SPIN_CONFIG.
 * It is valid, with its text, until `destroy` has returned; NULL for a plugin without SPIN_CONFIG. `create`
 * must do no input or output and start no thread: `start` does. On failure it frees its memory, calls
 * spin_fail and returns NULL; the app then ends before it begins. `call` is for spin_fail, spin_log and
 * spin_call_alloc.
 * [instance], before everything else
 *
 *     void destroy(spin_self *self)
 *
 * frees the instance. The host does not use it any more: its effects, `stop`, and the functions given to
 * spin_work and timers have returned. The host does not call it when one of these still hangs at the host's
 * deadline.
 * [instance], after everything else */
#define SPIN_INSTANCE(create, destroy)                                                                       \
    SPIN_PROVE_MEMBER(spin_self *, create, (spin_call * spin_token, const spin_config *spin_values));        \
    SPIN_PROVE_MEMBER(void, destroy, (spin_self * spin_instance));                                           \
    SPIN_NOTE(spin_note_instance, SPIN_KIND_INSTANCE, #create "\0" #destroy);                                \
    SPIN_DESCRIBE_ONCE(instance, SPIN_KIND_INSTANCE, create, destroy)

/* SPIN_CONFIG((type, name, default, doc) …): the plugin's settings, 1 to 64. A manifest sets them in
 * `[plugins.NAME] config = { … }`. With a range: (type, name, default, least, greatest, doc). Defines `struct
 * spin_config` with these members.
 *
 * Types: bool, integers, float, double, spin_duration, spin_timestamp, spin_string, spin_secret, spin_bytes,
 * spin_list_string. Text ends with a NUL that `size` does not count. The default is a literal of that type.
 * Durations ("5s") and timestamps are text in double quotes. `{}` means no texts. SPIN_REQUIRED means that a
 * manifest must set it. Ranges are for numbers and durations. The host reads these values from the file
 * before any code of the plugin runs.
 *
 * The default of a spin_secret is SPIN_REQUIRED, or `{}` for an empty text. A manifest must name the variable
 * or the file that has its value, and must not have the value itself. In each line that the host writes, also
 * for the plugin's log, it replaces the value by `<secret>`. Values of fewer than four bytes are not replaced.
 *
 * Once in a library, or in a header that several files of the library include. */
#define SPIN_CONFIG(...) SPIN_DECLARE_CONFIG(__VA_ARGS__, )

/* SPIN_LIFE(start, stop): functions for each instance, before its first effect and after its last. Once in a
 * library, which must have SPIN_INSTANCE.
 *
 *     spin_status start(spin_call *call, spin_self *self)
 *
 * opens, connects, starts threads. The loop's first feedback runs after it has returned. `call` is for
 * spin_fail, spin_log, spin_call_alloc and spin_instance_call. `start` fails when it returns anything
 * but SPIN_OK, or calls spin_fail with the reason. The app then ends before it begins. For this instance the
 * host does not call `stop`, but calls `destroy`.
 * [instance], after `create`
 *
 *     void stop(spin_self *self)
 *
 * undoes `start`: it closes what `start` has opened, and joins the threads that the plugin started itself.
 * All effects of the instance have returned and all calls are over; a later emission returns SPIN_CANCELLED
 * or SPIN_STOPPED. `stop` must return soon. After its deadline the host names the function in its log and
 * ends without it.
 * [instance], after the last effect */
#define SPIN_LIFE(start, stop)                                                                               \
    SPIN_PROVE_MEMBER(spin_status, start, (spin_call * spin_token, spin_self * spin_instance));              \
    SPIN_PROVE_MEMBER(void, stop, (spin_self * spin_instance));                                              \
    SPIN_NOTE(spin_note_life, SPIN_KIND_LIFE, #start "\0" #stop);                                            \
    SPIN_DESCRIBE_ONCE(life, SPIN_KIND_LIFE, start, stop)

/* SPIN_SWAP(save, restore, schema): hands the state of an instance over to an instance of another version of
 * the plugin. `schema` is an unsigned number that changes with the format of the saved state. Once in a
 * library, which must have SPIN_INSTANCE.
 *
 *     spin_status save(spin_call *call, spin_self *self, spin_saving *saving)
 *
 * writes the state with spin_write, and changes nothing. It fails when it returns anything but SPIN_OK, or
 * calls spin_fail.
 * [instance], not between `start` and `stop`
 *
 *     spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved)
 *
 * takes over the state that an instance of `saved->version` wrote with `saved->schema`, all of it or nothing.
 * It must refuse bytes that it does not understand, whatever they are. It refuses by a result other than
 * SPIN_OK, or by spin_fail with the reason; the host then destroys the instance. It must do no input or
 * output and start no thread.
 * [instance], after `create`, before `start` */
#define SPIN_SWAP(save, restore, schema)                                                                     \
    SPIN_PROVE_MEMBER(spin_status, save,                                                                     \
                      (spin_call * spin_token, spin_self * spin_instance, spin_saving * spin_to));           \
    SPIN_PROVE_MEMBER(spin_status, restore,                                                                  \
                      (spin_call * spin_token, spin_self * spin_instance, const spin_saved *spin_from));     \
    SPIN_NOTE(spin_note_swap, SPIN_KIND_SWAP, #save "\0" #restore "\0" SPIN_TEXT_OF(schema));                \
    SPIN_DESCRIBE_ONCE(swap, SPIN_KIND_SWAP, schema, 0, save, restore)

/* SPIN_RECONFIGURE(reconfigure): instances take over changed settings while they run. Once in a library, which
 * must have SPIN_INSTANCE and SPIN_CONFIG.
 *
 *     spin_status reconfigure(spin_call *call, spin_self *self, const spin_config *before,
 *                             const spin_config *config)
 *
 * The host calls it when the manifest of a running app changes nothing of the plugin except its settings.
 * Without this macro the host makes new instances then. It calls the function for each instance, also when
 * only the value of a secret has changed.
 *
 * To accept `config` in place of `before`, the function returns SPIN_OK. The instance continues, with its
 * calls, timers and work. `config` and its text stay valid until `destroy` has returned, or until this function
 * has accepted the next change. `before` is valid until the function has returned: the instance must keep no
 * pointer to it or its text.
 *
 * To refuse, the function returns another status, or calls spin_fail with the reason, and changes nothing.
 * `before` stays valid then, and `config` only until the function has returned. The host makes new instances in
 * place of all instances of the plugin. If that fails too, it refuses the changed manifest, and the instances
 * continue with their settings.
 *
 * The host calls the function again with both settings exchanged when an instance has accepted a change that
 * another instance refuses.
 *
 * The function may do input and output, but it must return soon: loops rest meanwhile, and calls for the
 * instance wait. No effect of the instance runs. Calls that continue after their effect has returned, timers,
 * functions given to spin_work, and threads of the plugin may run, and share the settings with this function:
 * the plugin guards them. After its deadline the host names the function and refuses the changed manifest.
 * Calls for the instance then wait until the function returns. `call` is for spin_fail, spin_log and
 * spin_call_alloc.
 * [instance], between `start` and `stop` */
#define SPIN_RECONFIGURE(reconfigure)                                                                        \
    SPIN_PROVE_MEMBER(spin_status, reconfigure,                                                              \
                      (spin_call * spin_token, spin_self * spin_instance, const spin_config *spin_old,       \
                       const spin_config *spin_new));                                                        \
    SPIN_NOTE(spin_note_reconfigure, SPIN_KIND_RECONFIGURE, #reconfigure);                                   \
    SPIN_DESCRIBE_ONCE(reconfigure, SPIN_KIND_RECONFIGURE, reconfigure)

/* SPIN_LOOP(name, layout, events …, NULL): describes the loop that the structs of a header belong to, with
 * the address of a SPIN_EVENT for each event. `spinhost header` writes both; do not write them by hand. They
 * may be in several files of a library. */
#define SPIN_LOOP(name, layout, ...) SPIN_DECLARE_LOOP(name, layout, __VA_ARGS__)

/* SPIN_EVENT(symbol, name, payload_size): the emitter of a loop's event, as the constant `symbol`. */
#define SPIN_EVENT(symbol, name, payload_size) SPIN_DECLARE_EVENT(symbol, name, payload_size)

/* ------------------------------------------------------------------------------------------------------------
 * The notes: section `.note.spinhost`, 4-byte aligned, owner "spinhost". They have integers and characters
 * only, so that the host can read them from the file without relocation. The type of a note is SPIN_KIND_… +
 * 65536 × the ABI minor that the description needs. The host refuses a library with a note that needs a newer
 * minor. The descriptor is a sequence of NUL-terminated strings. Fields are positional. New fields are only
 * appended; a missing field is empty.
 *
 *     SPIN_KIND_PLUGIN    the header's ABI "MAJOR.MINOR", id, version
 *     SPIN_KIND_EFFECT    name, prototype, fails-if, doc
 *     SPIN_KIND_EMITTER   name, prototype, doc
 *     SPIN_KIND_REDUCER   name, state type, event type, doc
 *     SPIN_KIND_LOOP      loop, fields of its state; then for each event its name and its fields
 *     SPIN_KIND_INSTANCE  create, destroy
 *     SPIN_KIND_CONFIG    the members of spin_config as parameters: "void spin_config(spin_string device,
 *                         int32_t rate)"; then for each member default, least, greatest and doc, each as C
 *                         text, empty when absent; `SPIN_REQUIRED` for no default
 *     SPIN_KIND_LIFE      start, stop
 *     SPIN_KIND_SWAP      save, restore, schema
 *     SPIN_KIND_RECORD    name, its declaration: "struct point { double x; double y; }"
 *     SPIN_KIND_RECONFIGURE  reconfigure
 *
 * Fields of a loop are lines "NAME TYPE OFFSET SIZE\n". TYPE is a type's name in a manifest, `a|b|c` for an
 * enumeration, or `{}`, `[]`, `?` for a record, a list, an optional. The fields of these follow, or their
 * content, called `*`. Each has one more `.` before its name, and its offset within the record, the element
 * or the optional. The cases of a state follow its tag (`case`) and its shared fields. They are records of
 * one offset with `@` before their names.
 */
#define SPIN_NOTE_OWNER "spinhost"

#include <spinhost/private.h>

/* ------------------------------------------------------------------------------------------------------------
 * Services. Each is a table of functions that `spin_service` finds by its id. An id never changes its meaning:
 * a later revision has an id of its own. The tables belong to the host, and live as long as its own table.
 * Each function takes the plugin's `spin_host` first. The wrappers pass it. They answer SPIN_UNSUPPORTED where
 * the host does not have the service, and SPIN_NO_HOST in a constructor of the library; wrappers with another
 * result answer NULL or 0. The contract of a service is in its header.
 */
#include <spinhost/services.h>

#endif /* SPINHOST_PLUGIN_H */
