/* spinhost/private.h: the parts of the macros of spinhost/plugin.h, and the proof of every layout. Plugins
 * must use nothing of it. (Longer than 350 lines, because each structure's layout is proved beside the
 * others.) */
#include <spinhost/plugin.h>

#ifndef SPINHOST_PRIVATE_H
#define SPINHOST_PRIVATE_H

/* The compilers know `__VA_OPT__` in C11 and C++17, but warn of it. */
#pragma GCC system_header

#ifndef SPIN_EXPORT
#define SPIN_EXPORT __attribute__((visibility("default")))
#endif

/* Several files of one library define it, and the library has it once. */
#define SPIN_SHARED __attribute__((weak, visibility("hidden")))

#ifdef __cplusplus
#define SPIN_EXTERN extern "C"
#define SPIN_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define SPIN_EXTERN extern
#define SPIN_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#define SPIN_TEXT_OF_EXPANDED(number) #number
#define SPIN_TEXT_OF(number) SPIN_TEXT_OF_EXPANDED(number)
#define SPIN_ABI_TEXT SPIN_TEXT_OF(SPIN_ABI_MAJOR) "." SPIN_TEXT_OF(SPIN_ABI_MINOR)

/* `used` keeps a note from the optimiser, `retain` from the linker's --gc-sections. Without the last
 * attribute the address sanitizer of clang puts red zones between the notes. */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define SPIN_RETAIN retain,
#endif
#endif
#ifndef SPIN_RETAIN
#define SPIN_RETAIN
#endif
#ifdef __clang__
#define SPIN_NO_RED_ZONE no_sanitize("address", "hwaddress"),
#else
#define SPIN_NO_RED_ZONE
#endif

#define SPIN_NOTE(symbol, kind, text)                                                                        \
    static const struct {                                                                                    \
        uint32_t owner_size, descriptor_size, type;                                                          \
        char owner[(sizeof(SPIN_NOTE_OWNER) + 3) / 4 * 4];                                                   \
        char descriptor[(sizeof(text) + 3) / 4 * 4];                                                         \
    } symbol __attribute__((SPIN_NO_RED_ZONE SPIN_RETAIN used, aligned(4), section(".note.spinhost"))) = {   \
        sizeof(SPIN_NOTE_OWNER), sizeof(text), kind, SPIN_NOTE_OWNER, text}

/* In C a second declaration must agree with the first. In C++ it would be an overload, so a typed pointer is
 * compared. */
#ifdef __cplusplus
#define SPIN_PROVE(result, name, parameters) static result(*const spin_typed_##name) parameters = name
#define SPIN_PROVEN(name) SPIN_CAST(void (*)(void), spin_typed_##name)
#else
#define SPIN_PROVE(result, name, parameters) extern result name parameters
#define SPIN_PROVEN(name) SPIN_CAST(void (*)(void), name)
#endif

/* The same for a constant with a member of the function's type. C++ compares the types itself. */
#ifdef __cplusplus
#define SPIN_PROVE_MEMBER(result, name, parameters) SPIN_STATIC_ASSERT(1, "")
#else
#define SPIN_PROVE_MEMBER(result, name, parameters) SPIN_PROVE(result, name, parameters)
#endif

/* The linker collects these pointers of all files of the library, and defines where they begin and end. Both
 * symbols are NULL where there is no pointer. */
#define SPIN_LIST(constant)                                                                                  \
    static const spin_description *const spin_listed_##constant                                              \
        __attribute__((SPIN_NO_RED_ZONE SPIN_RETAIN used, section("spin_descriptions"))) = &constant.head
SPIN_EXTERN __attribute__((weak, visibility("hidden")))
const spin_description *const __start_spin_descriptions[];
SPIN_EXTERN __attribute__((weak, visibility("hidden")))
const spin_description *const __stop_spin_descriptions[];

#define SPIN_HEAD(type, kind)                                                                                \
    { sizeof(type), kind, 0 }

/* The description of what a library has once. */
#define SPIN_DESCRIBE_ONCE(part, kind, ...)                                                                  \
    static const struct spin_plugin_##part spin_plugin_##part = {SPIN_HEAD(struct spin_plugin_##part, kind), \
                                                                 __VA_ARGS__};                               \
    SPIN_LIST(spin_plugin_##part)

#define SPIN_DECLARE_EFFECT(result, name, parameters, name_text, prototype, fails_if, doc)                   \
    SPIN_STATIC_ASSERT(sizeof(#parameters) > sizeof("()"), "write (void) for an effect without parameters"); \
    SPIN_PROVE(result, name, parameters);                                                                    \
    SPIN_NOTE(spin_note_effect_##name, SPIN_KIND_EFFECT, name_text "\0" prototype "\0" fails_if "\0" doc);   \
    static const spin_effect spin_effect_##name = {                                                          \
        SPIN_HEAD(spin_effect, SPIN_KIND_EFFECT), name_text, prototype, fails_if, doc, SPIN_PROVEN(name)};   \
    SPIN_LIST(spin_effect_##name)

/* Several files of one library may declare an emitter, in a header. They share one description. */
#define SPIN_DESCRIBE_EMITTER(symbol, name, prototype, payload_size)                                         \
    SPIN_EXTERN SPIN_SHARED const spin_emitter symbol;                                                       \
    const spin_emitter symbol = {SPIN_HEAD(spin_emitter, SPIN_KIND_EMITTER), name, prototype, "",            \
                                 payload_size}

#define SPIN_NOTE_AND_LIST_EMITTER(name, prototype, payload_size)                                            \
    SPIN_NOTE(spin_note_emitter_##name, SPIN_KIND_EMITTER, #name "\0" prototype "\0");                       \
    SPIN_DESCRIBE_EMITTER(spin_emitter_##name, #name, prototype, payload_size);                              \
    SPIN_LIST(spin_emitter_##name)

/* Several files of one library may declare a record, in a header. The last struct shows that the compiler
 * pads as the host does. */
#define SPIN_DECLARE_RECORD(name, ...) SPIN_RECORD_OF##__VA_OPT__(_FIELDS)(name, __VA_ARGS__)
#define SPIN_RECORD_OF(name, ...) SPIN_STATIC_ASSERT(0, "SPIN_RECORD(" #name ") needs a field")
#define SPIN_RECORD_OF_FIELDS(name, ...)                                                                     \
    typedef struct name {                                                                                    \
        SPIN_EACH(SPIN_MEMBER, SPIN_MEMBER, __VA_ARGS__)                                                     \
    } name;                                                                                                  \
    SPIN_LIST_AND_OPTIONAL(name, name);                                                                      \
    SPIN_NOTE_AND_LIST_RECORD(name, "struct " #name                                                          \
                                    " {" SPIN_EACH(SPIN_MEMBER_TEXT, SPIN_MEMBER_TEXT, __VA_ARGS__) " }");   \
    struct spin_padded_##name {                                                                              \
        uint8_t first;                                                                                       \
        uint64_t second;                                                                                     \
    };                                                                                                       \
    SPIN_STATIC_ASSERT(sizeof(struct spin_padded_##name) == 16, "write SPIN_RECORD outside of #pragma pack")

#define SPIN_NOTE_AND_LIST_RECORD(name, declaration)                                                         \
    SPIN_NOTE(spin_note_record_##name, SPIN_KIND_RECORD, #name "\0" declaration);                            \
    SPIN_EXTERN SPIN_SHARED const spin_record spin_record_##name;                                            \
    const spin_record spin_record_##name = {SPIN_HEAD(spin_record, SPIN_KIND_RECORD), #name, declaration,    \
                                            sizeof(name)};                                                   \
    SPIN_LIST(spin_record_##name)

#define SPIN_DECLARE_REDUCER(name, state_type, event_type, doc)                                              \
    SPIN_NOTE(spin_note_reducer_##name, SPIN_KIND_REDUCER,                                                   \
              #name "\0" #state_type "\0" #event_type "\0" doc);                                             \
    static const spin_reducer spin_reducer_##name = {SPIN_HEAD(spin_reducer, SPIN_KIND_REDUCER),             \
                                                     #name,                                                  \
                                                     #state_type,                                            \
                                                     #event_type,                                            \
                                                     doc,                                                    \
                                                     sizeof(state_type),                                     \
                                                     sizeof(event_type),                                     \
                                                     SPIN_PROVEN(name)};                                     \
    SPIN_LIST(spin_reducer_##name)

/* Each file of a library that includes the header has its own note, so that the host checks all of them. All
 * files share one description of each event, by whose address the host knows the event. */
#define SPIN_DECLARE_EVENT(symbol, name, payload_size) SPIN_DESCRIBE_EMITTER(symbol, name, "", payload_size)

#define SPIN_DECLARE_LOOP(name, layout, ...)                                                                 \
    SPIN_NOTE(spin_note_loop_##name, SPIN_KIND_LOOP, #name "\0" layout);                                     \
    static const spin_emitter *const spin_events_##name[] = {__VA_ARGS__};                                   \
    SPIN_EXTERN SPIN_SHARED const spin_loop spin_loop_##name;                                                \
    const spin_loop spin_loop_##name = {SPIN_HEAD(spin_loop, SPIN_KIND_LOOP), #name, spin_events_##name};    \
    SPIN_LIST(spin_loop_##name)

/* The struct of the settings, and the note about them in each file that includes them. */
#define SPIN_DECLARE_CONFIG(...)                                                                             \
    struct spin_config {                                                                                     \
        SPIN_EACH(SPIN_SETTING_MEMBER, SPIN_SETTING_MEMBER, __VA_ARGS__)                                     \
    };                                                                                                       \
    SPIN_NOTE(spin_note_config, SPIN_KIND_CONFIG,                                                            \
              "void spin_config(" SPIN_EACH(SPIN_SETTING_FIRST, SPIN_SETTING_NEXT,                           \
                                            __VA_ARGS__) ")" SPIN_EACH(SPIN_SETTING_RULE, SPIN_SETTING_RULE, \
                                                                       __VA_ARGS__));                        \
    SPIN_EXTERN SPIN_SHARED const struct spin_plugin_config spin_plugin_config;                              \
    const struct spin_plugin_config spin_plugin_config = {                                                   \
        SPIN_HEAD(struct spin_plugin_config, SPIN_KIND_CONFIG), sizeof(struct spin_config)};                 \
    SPIN_LIST(spin_plugin_config)

#define SPIN_SETTING_MEMBER(type, field, ...) type field;
#define SPIN_SETTING_FIRST(type, field, ...) #type " " #field
#define SPIN_SETTING_NEXT(type, field, ...) ", " #type " " #field
#define SPIN_SETTING_RULE(type, field, ...)                                                                  \
    SPIN_PICK_RULE(__VA_ARGS__, SPIN_SETTING_RANGED, SPIN_SETTING_HAS_NO_GREATEST, SPIN_SETTING_PLAIN, )     \
    (__VA_ARGS__)
#define SPIN_PICK_RULE(a, b, c, d, chosen, ...) chosen
#define SPIN_SETTING_PLAIN(value, doc) "\0" #value "\0\0\0" doc
#define SPIN_SETTING_RANGED(value, least, greatest, doc) "\0" #value "\0" #least "\0" #greatest "\0" doc

/* A last, empty argument follows the fields, so that `...` is never absent. */
#define SPIN_DECLARE_EMITTER(name, ...) SPIN_EMITTER_OF##__VA_OPT__(_FIELDS)(name, __VA_ARGS__)

#define SPIN_EMITTER_OF(name, ...)                                                                           \
    SPIN_NOTE_AND_LIST_EMITTER(name, "void " #name "(void)", 0);                                             \
    SPIN_INLINE spin_status name(spin_call *spin_call_token) {                                               \
        return spin_emit(spin_call_token, &spin_emitter_##name, NULL);                                       \
    }                                                                                                        \
    SPIN_INLINE spin_status spin_wait_##name(spin_call *spin_call_token, spin_duration spin_call_timeout) {  \
        return spin_emit_wait(spin_call_token, &spin_emitter_##name, NULL, spin_call_timeout);               \
    }                                                                                                        \
    SPIN_STATIC_ASSERT(1, "")

#define SPIN_EMITTER_OF_FIELDS(name, ...)                                                                    \
    struct spin_payload_##name {                                                                             \
        SPIN_EACH(SPIN_MEMBER, SPIN_MEMBER, __VA_ARGS__)                                                     \
    };                                                                                                       \
    SPIN_NOTE_AND_LIST_EMITTER(                                                                              \
        name, "void " #name "(" SPIN_EACH(SPIN_FIRST_TEXT, SPIN_NEXT_TEXT, __VA_ARGS__) ")",                 \
        sizeof(struct spin_payload_##name));                                                                 \
    SPIN_INLINE spin_status name(                                                                            \
        spin_call *spin_call_token SPIN_EACH(SPIN_PARAMETER, SPIN_PARAMETER, __VA_ARGS__)) {                 \
        const struct spin_payload_##name spin_call_payload = {                                               \
            SPIN_EACH(SPIN_VALUE, SPIN_VALUE, __VA_ARGS__)};                                                 \
        return spin_emit(spin_call_token, &spin_emitter_##name, &spin_call_payload);                         \
    }                                                                                                        \
    SPIN_INLINE spin_status spin_wait_##name(                                                                \
        spin_call *spin_call_token SPIN_EACH(SPIN_PARAMETER, SPIN_PARAMETER, __VA_ARGS__),                   \
        spin_duration spin_call_timeout) {                                                                   \
        const struct spin_payload_##name spin_call_payload = {                                               \
            SPIN_EACH(SPIN_VALUE, SPIN_VALUE, __VA_ARGS__)};                                                 \
        return spin_emit_wait(spin_call_token, &spin_emitter_##name, &spin_call_payload, spin_call_timeout); \
    }                                                                                                        \
    SPIN_STATIC_ASSERT(1, "")

/* Applies one macro to the first field and another one to each later field, at most 64 in all. A field is
 * `(type, field)`. */
#define SPIN_EACH(first, next, field, ...)                                                                   \
    first field __VA_OPT__(SPIN_SCAN(SPIN_EACH_NEXT(next, __VA_ARGS__)))
#define SPIN_EACH_NEXT(next, field, ...)                                                                     \
    next field __VA_OPT__(SPIN_EACH_AGAIN SPIN_NOTHING()()(next, __VA_ARGS__))
#define SPIN_EACH_AGAIN() SPIN_EACH_NEXT
#define SPIN_NOTHING()
/* Each scan expands one more SPIN_EACH_AGAIN. */
#define SPIN_SCAN(...) SPIN_SCAN_16(SPIN_SCAN_16(SPIN_SCAN_16(SPIN_SCAN_16(__VA_ARGS__))))
#define SPIN_SCAN_16(...) SPIN_SCAN_4(SPIN_SCAN_4(SPIN_SCAN_4(SPIN_SCAN_4(__VA_ARGS__))))
#define SPIN_SCAN_4(...) SPIN_SCAN_1(SPIN_SCAN_1(SPIN_SCAN_1(SPIN_SCAN_1(__VA_ARGS__))))
#define SPIN_SCAN_1(...) __VA_ARGS__

#define SPIN_MEMBER(type, field) type field;
#define SPIN_MEMBER_TEXT(type, field) " " #type " " #field ";"
#define SPIN_PARAMETER(type, field) , type field
#define SPIN_VALUE(type, field) field,
#define SPIN_FIRST_TEXT(type, field) #type " " #field
#define SPIN_NEXT_TEXT(type, field) ", " #type " " #field

/* spin_find_NAME(): the table of a service, which it looks up until the host has one. NULL without one. */
#define SPIN_FINDER(name, id)                                                                                \
    SPIN_INLINE const spin_##name##_service *spin_find_##name(void) {                                        \
        static const void *found;                                                                            \
        const void *table = __atomic_load_n(&found, __ATOMIC_ACQUIRE);                                       \
        if (!table) {                                                                                        \
            table = spin_service(id);                                                                        \
            __atomic_store_n(&found, table, __ATOMIC_RELEASE);                                               \
        }                                                                                                    \
        return SPIN_CAST(const spin_##name##_service *, table);                                              \
    }

/* The layout of everything that host and plugin share. */
#define SPIN_LAYOUT(type, member, offset)                                                                    \
    SPIN_STATIC_ASSERT(offsetof(type, member) == (offset), #type " has another layout at `" #member "`")
#define SPIN_SIZE(type, bytes) SPIN_STATIC_ASSERT(sizeof(type) == (bytes), #type " has another size")

SPIN_SIZE(spin_string, 16);
SPIN_LAYOUT(spin_string, data, 0);
SPIN_LAYOUT(spin_string, size, 8);

SPIN_SIZE(spin_bytes, 16);
SPIN_LAYOUT(spin_bytes, data, 0);
SPIN_LAYOUT(spin_bytes, size, 8);

SPIN_SIZE(spin_list_string, 16);
SPIN_LAYOUT(spin_list_string, items, 0);
SPIN_LAYOUT(spin_list_string, count, 8);

SPIN_SIZE(spin_optional_string, 24);
SPIN_LAYOUT(spin_optional_string, has, 0);
SPIN_LAYOUT(spin_optional_string, value, 8);

SPIN_SIZE(spin_description, 8);
SPIN_LAYOUT(spin_description, size, 0);
SPIN_LAYOUT(spin_description, kind, 4);
SPIN_LAYOUT(spin_description, minor, 6);

SPIN_SIZE(spin_effect, 48);
SPIN_LAYOUT(spin_effect, head, 0);
SPIN_LAYOUT(spin_effect, name, 8);
SPIN_LAYOUT(spin_effect, prototype, 16);
SPIN_LAYOUT(spin_effect, fails_if, 24);
SPIN_LAYOUT(spin_effect, doc, 32);
SPIN_LAYOUT(spin_effect, function, 40);

SPIN_SIZE(spin_emitter, 40);
SPIN_LAYOUT(spin_emitter, head, 0);
SPIN_LAYOUT(spin_emitter, name, 8);
SPIN_LAYOUT(spin_emitter, prototype, 16);
SPIN_LAYOUT(spin_emitter, doc, 24);
SPIN_LAYOUT(spin_emitter, payload_size, 32);

SPIN_SIZE(spin_record, 32);
SPIN_LAYOUT(spin_record, head, 0);
SPIN_LAYOUT(spin_record, name, 8);
SPIN_LAYOUT(spin_record, declaration, 16);
SPIN_LAYOUT(spin_record, record_size, 24);

SPIN_SIZE(spin_reduction, 16);
SPIN_LAYOUT(spin_reduction, size, 0);
SPIN_LAYOUT(spin_reduction, flags, 4);
SPIN_LAYOUT(spin_reduction, allocate, 8);

SPIN_SIZE(spin_reducer, 64);
SPIN_LAYOUT(spin_reducer, head, 0);
SPIN_LAYOUT(spin_reducer, name, 8);
SPIN_LAYOUT(spin_reducer, state_type, 16);
SPIN_LAYOUT(spin_reducer, event_type, 24);
SPIN_LAYOUT(spin_reducer, doc, 32);
SPIN_LAYOUT(spin_reducer, state_size, 40);
SPIN_LAYOUT(spin_reducer, event_size, 48);
SPIN_LAYOUT(spin_reducer, function, 56);

SPIN_SIZE(spin_loop, 24);
SPIN_LAYOUT(spin_loop, head, 0);
SPIN_LAYOUT(spin_loop, name, 8);
SPIN_LAYOUT(spin_loop, events, 16);

SPIN_SIZE(struct spin_entry, 56);
SPIN_LAYOUT(struct spin_entry, size, 0);
SPIN_LAYOUT(struct spin_entry, abi_major, 4);
SPIN_LAYOUT(struct spin_entry, abi_minor, 8);
SPIN_LAYOUT(struct spin_entry, flags, 12);
SPIN_LAYOUT(struct spin_entry, id, 16);
SPIN_LAYOUT(struct spin_entry, version, 24);
SPIN_LAYOUT(struct spin_entry, host, 32);
SPIN_LAYOUT(struct spin_entry, descriptions, 40);
SPIN_LAYOUT(struct spin_entry, descriptions_end, 48);

SPIN_SIZE(struct spin_plugin_instance, 24);
SPIN_LAYOUT(struct spin_plugin_instance, head, 0);
SPIN_LAYOUT(struct spin_plugin_instance, create, 8);
SPIN_LAYOUT(struct spin_plugin_instance, destroy, 16);

SPIN_SIZE(struct spin_plugin_config, 16);
SPIN_LAYOUT(struct spin_plugin_config, head, 0);
SPIN_LAYOUT(struct spin_plugin_config, config_size, 8);

SPIN_SIZE(struct spin_plugin_life, 24);
SPIN_LAYOUT(struct spin_plugin_life, head, 0);
SPIN_LAYOUT(struct spin_plugin_life, start, 8);
SPIN_LAYOUT(struct spin_plugin_life, stop, 16);

SPIN_SIZE(spin_saving, 16);
SPIN_LAYOUT(spin_saving, size, 0);
SPIN_LAYOUT(spin_saving, flags, 4);
SPIN_LAYOUT(spin_saving, write, 8);

SPIN_SIZE(spin_saved, 40);
SPIN_LAYOUT(spin_saved, size, 0);
SPIN_LAYOUT(spin_saved, flags, 4);
SPIN_LAYOUT(spin_saved, schema, 8);
SPIN_LAYOUT(spin_saved, reserved, 12);
SPIN_LAYOUT(spin_saved, version, 16);
SPIN_LAYOUT(spin_saved, data, 24);
SPIN_LAYOUT(spin_saved, data_size, 32);

SPIN_SIZE(struct spin_plugin_swap, 32);
SPIN_LAYOUT(struct spin_plugin_swap, head, 0);
SPIN_LAYOUT(struct spin_plugin_swap, schema, 8);
SPIN_LAYOUT(struct spin_plugin_swap, reserved, 12);
SPIN_LAYOUT(struct spin_plugin_swap, save, 16);
SPIN_LAYOUT(struct spin_plugin_swap, restore, 24);

SPIN_SIZE(struct spin_plugin_reconfigure, 16);
SPIN_LAYOUT(struct spin_plugin_reconfigure, head, 0);
SPIN_LAYOUT(struct spin_plugin_reconfigure, reconfigure, 8);

SPIN_SIZE(spin_host, 96);
SPIN_LAYOUT(spin_host, size, 0);
SPIN_LAYOUT(spin_host, abi_major, 4);
SPIN_LAYOUT(spin_host, abi_minor, 8);
SPIN_LAYOUT(spin_host, flags, 12);
SPIN_LAYOUT(spin_host, generation, 16);
SPIN_LAYOUT(spin_host, owner, 24);
SPIN_LAYOUT(spin_host, emit, 32);
SPIN_LAYOUT(spin_host, finish, 40);
SPIN_LAYOUT(spin_host, fail, 48);
SPIN_LAYOUT(spin_host, cancelled, 56);
SPIN_LAYOUT(spin_host, on_cancel, 64);
SPIN_LAYOUT(spin_host, service, 72);
SPIN_LAYOUT(spin_host, emit_wait, 80);
SPIN_LAYOUT(spin_host, deadline, 88);

#endif /* SPINHOST_PRIVATE_H */
