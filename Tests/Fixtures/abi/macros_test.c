// Loads a build of macros.c as a host does: constants through dlsym, the host's table stored, effects called.
#include "fake_host.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static const struct spin_entry *entry;

static void check(const char *name, int holds) {
    if (!holds)
        fprintf(stderr, "%s\n", name);
    failures += !holds;
}

static const void *described(int kind, const char *name) {
    const void *found = fake_find(entry, kind, name);
    if (!found) {
        fprintf(stderr, "there is no `%s` of kind %d\n", name, kind);
        exit(1);
    }
    return found;
}

static const spin_effect *effect(const char *name) {
    const spin_effect *found = described(SPIN_KIND_EFFECT, name);
    check(name, found->head.size == sizeof *found && found->head.minor == 0);
    return found;
}

// The payloads again, written by hand: the macros promise exactly these structs.
struct one {
    double value;
};
struct two {
    int8_t tag;
    int64_t wait;
};
struct three {
    uint16_t a;
    float b;
    spin_string c;
};
struct four {
    int64_t a, b, c, d;
};
struct five {
    int8_t a;
    int64_t b;
    int8_t c;
    int64_t d;
    int8_t e;
};
struct six {
    int8_t a, b, c, d, e, f;
};
struct seven {
    int8_t a, b, c, d, e, f;
    int64_t g;
};
struct eight {
    int8_t a;
    const char *b;
    float c;
    double d;
    spin_string e;
    spin_bytes f;
    int64_t g;
    uint64_t h;
};

struct place {
    double x;
    int8_t marks[3];
};
struct route {
    spin_string name;
    struct {
        const struct place *items;
        size_t count;
    } places;
    struct {
        uint8_t has;
        struct place value;
    } last;
    uint8_t is_open;
};
struct routed {
    struct {
        const struct route *items;
        size_t count;
    } routes;
    struct {
        uint8_t has;
        double value;
    } length;
    struct place at;
};

static void render(const spin_emitter *emitter, const void *payload) {
    const struct one *one = payload;
    const struct two *two = payload;
    const struct three *three = payload;
    const struct four *four = payload;
    const struct five *five = payload;
    const struct six *six = payload;
    const struct seven *seven = payload;
    const struct eight *eight = payload;
    const struct routed *routed = payload;
    const char *name = emitter->name;
    check("the emitter that is passed is the constant", emitter == described(SPIN_KIND_EMITTER, name));
    if (strcmp(name, "nothing") == 0)
        fake_note("%s %d", name, payload == NULL);
    else if (strcmp(name, "one") == 0)
        fake_note("%s %g", name, one->value);
    else if (strcmp(name, "two") == 0)
        fake_note("%s %d %ld", name, two->tag, two->wait);
    else if (strcmp(name, "three") == 0)
        fake_note("%s %d %g %.*s", name, three->a, three->b, (int)three->c.size, three->c.data);
    else if (strcmp(name, "four") == 0)
        fake_note("%s %ld %ld %ld %ld", name, four->a, four->b, four->c, four->d);
    else if (strcmp(name, "five") == 0)
        fake_note("%s %d %ld %d %ld %d", name, five->a, five->b, five->c, five->d, five->e);
    else if (strcmp(name, "six") == 0)
        fake_note("%s %d %d %d %d %d %d", name, six->a, six->b, six->c, six->d, six->e, six->f);
    else if (strcmp(name, "seven") == 0)
        fake_note("%s %d %d %d %d %d %d %ld", name, seven->a, seven->b, seven->c, seven->d, seven->e,
                  seven->f, seven->g);
    else if (strcmp(name, "eight") == 0)
        fake_note("%s %d %s %g %g %.*s %zu %ld %lu", name, eight->a, eight->b, eight->c, eight->d,
                  (int)eight->e.size, eight->e.data, eight->f.size, eight->g, eight->h);
    else if (strcmp(name, "most") == 0)
        fake_note("%s %d %d", name, ((const int8_t *)payload)[0], ((const int8_t *)payload)[63]);
    else if (strcmp(name, "routed") == 0) {
        const struct route *route = routed->routes.items;
        fake_note("%s %zu %.*s %zu %d %d %d %g %g %d %d", name, routed->routes.count, (int)route->name.size,
                  route->name.data, route->places.count, route->places.items[1].marks[2], route->last.has,
                  route->last.value.marks[0], routed->length.value, routed->at.x, routed->at.marks[1],
                  route->is_open);
    } else if (strcmp(name, "shared") == 0)
        fake_note("%s %d", name, *(const int32_t *)payload);
}

static void test_sizes(void) {
    const struct {
        const char *name;
        uint64_t size;
    } payloads[] = {{"nothing", 0},
                    {"one", sizeof(struct one)},
                    {"two", sizeof(struct two)},
                    {"three", sizeof(struct three)},
                    {"four", sizeof(struct four)},
                    {"five", sizeof(struct five)},
                    {"six", sizeof(struct six)},
                    {"seven", sizeof(struct seven)},
                    {"eight", sizeof(struct eight)},
                    {"routed", sizeof(struct routed)},
                    {"most", 64}};
    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        const spin_emitter *emitter = described(SPIN_KIND_EMITTER, payloads[i].name);
        check(payloads[i].name,
              emitter->head.size == sizeof *emitter && emitter->payload_size == payloads[i].size);
    }
}

static void test_records(void) {
    const struct {
        const char *name, *declaration;
        uint64_t size;
    } records[] = {
        {"place", "struct place { double x; int8_t marks[3]; }", sizeof(struct place)},
        {"single", "struct single { spin_list_route routes; }", 16},
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        const spin_record *record = described(SPIN_KIND_RECORD, records[i].name);
        check(records[i].name, record->head.size == sizeof *record &&
                                   record->record_size == records[i].size &&
                                   strcmp(record->declaration, records[i].declaration) == 0);
    }
    const spin_record *route = described(SPIN_KIND_RECORD, "route");
    check("route", route->record_size == sizeof(struct route));
}

static void test_constructor(void) {
    int32_t (*heard_early)(int32_t) = (int32_t(*)(int32_t))effect("heard_early")->function;
    const int32_t expected[] = {0, SPIN_NO_HOST, SPIN_NO_HOST, SPIN_NO_HOST,
                                1, SPIN_NO_HOST, SPIN_NO_HOST, 0};
    for (int32_t i = 0; i < 8; i++)
        check("a constructor hears that there is no host", heard_early(i) == expected[i]);
}

static void test_effects(void) {
    check("step_toward", ((int64_t(*)(int64_t, int64_t))effect("step_toward")->function)(20, 10) == 19);
    check("is_open", ((_Bool(*)(void))effect("is_open")->function)());
    check("twice", ((int32_t(*)(int32_t))effect("twice")->function)(21) == 42);
    check("fails_if", strcmp(effect("is_open")->fails_if, "!result") == 0);
    check("prototype", strcmp(effect("is_open")->prototype, "bool is_open(void)") == 0);
    check("doc", strcmp(effect("greeting")->doc, "Says \"hello\" – and nothing else.") == 0);
}

static void test_emitters(void) {
    spin_status (*emit_all)(spin_call *) = (spin_status(*)(spin_call *))effect("emit_all")->function;
    spin_call *call = fake_call();
    check("emissions are queued", emit_all(call) == SPIN_OK);
    failures +=
        !fake_expect("each emitter packs its fields", "0 nothing 1\n"
                                                      "0 one 0.5\n"
                                                      "0 two -2 3000\n"
                                                      "0 three 65535 1.5 text\n"
                                                      "0 four 1 2 3 4\n"
                                                      "0 five 1 2 3 4 5\n"
                                                      "0 six 1 2 3 4 5 6\n"
                                                      "0 seven 1 2 3 4 5 6 7\n"
                                                      "0 eight 1 two 3.5 4.5 text 3 7 18446744073709551615\n"
                                                      "0 most 0 63\n"
                                                      "0 routed 1 text 2 6 1 4 2.5 0.5 2 1\n"
                                                      "0 shared 1\n"
                                                      "0 shared 2\n");
    fake_emit_status = SPIN_FULL;
    check("the host's answer comes back", emit_all(call) == SPIN_FULL);
    fake_emit_status = SPIN_OK;
}

static void test_host(void) {
    void (*use_host)(spin_call *, int32_t *) = (void (*)(spin_call *, int32_t *))effect("use_host")->function;
    spin_call *call = fake_call();
    int32_t cancellations = 0;
    use_host(call, &cancellations);
    fake_cancel(call);
    check("the function of on_cancel is called once", cancellations == 1);
    use_host(call, &cancellations);
    check("and not for a call that is over", cancellations == 1);
    failures += !fake_expect("the wrappers reach the host",
                             "0 log 1 0 clocks\n"
                             "0 log 1 -1 fields host=here none= port=-80 load=0.5 "
                             "is_up=1\n0 counter c_total help 2 b\n0 histogram h help 0 2 2\n0 add 1 2.5\n"
                             "0 print one function per call\n"
                             "0 log 0 1 cancelled\n"
                             "0 log 1 0 clocks\n"
                             "0 log 1 2 no cancellation\n"
                             "0 log 1 -1 fields host=here none= port=-80 load=0.5 "
                             "is_up=1\n0 counter c_total help 2 b\n0 histogram h help 0 2 2\n0 add 1 2.5\n");
}

// The settings again, written by hand: the macro promises exactly this struct.
struct settings {
    spin_string name;
    int32_t rate;
    double factor;
    int64_t wait;
    uint64_t limit;
    spin_list_string paths;
    int8_t a, b, c, d, e, f, g, h, i, j, k[48];
};

static spin_status write_saved(spin_saving *saving, const void *data, size_t size) {
    (void)saving;
    int64_t count;
    memcpy(&count, data, sizeof count);
    fake_note("save %zu %ld", size, count);
    return SPIN_OK;
}

static void test_instance(void) {
    const struct spin_plugin_config *config = described(SPIN_KIND_CONFIG, "");
    check("the settings are of the declared size",
          config->head.size == sizeof *config && config->config_size == sizeof(struct settings));
    const struct spin_plugin_instance *functions = described(SPIN_KIND_INSTANCE, "");
    const struct spin_plugin_life *life = described(SPIN_KIND_LIFE, "");
    const struct spin_plugin_swap *swap = described(SPIN_KIND_SWAP, "");
    check("instance", functions->head.size == sizeof *functions && life->head.size == sizeof *life);
    check("swap", swap->head.size == sizeof *swap && swap->schema == 7);
    check("create fails", !functions->create(fake_call(), NULL));
    struct settings settings = {.name = {"ab", 2}, .rate = 100, .limit = 1000, .j = -10};
    spin_self *self = functions->create(fake_call(), (const spin_config *)&settings);
    check("settings", ((int64_t(*)(spin_self *))effect("settle")->function)(self) == 1092);
    check("start", life->start(fake_call(), self) == SPIN_OK);
    check("effect", ((int64_t(*)(spin_self *, int64_t))effect("count")->function)(self, 41) == 42);
    int32_t worked = 0;
    void (*later)(spin_call *, spin_self *, int32_t *) =
        (void (*)(spin_call *, spin_self *, int32_t *))effect("count_later")->function;
    // First, as the plugin keeps a service that it has found.
    fake_has_services = 0;
    later(fake_call(), self, &worked);
    fake_has_services = 1;
    check("no work without the service", worked == 0);
    later(fake_call(), self, &worked);
    check("work", worked == 1);
    const struct spin_plugin_reconfigure *changes = described(SPIN_KIND_RECONFIGURE, "");
    struct settings other = settings;
    other.rate = 200;
    check("reconfigure", changes->head.size == sizeof *changes &&
                             changes->reconfigure(fake_call(), self, (const spin_config *)&settings,
                                                  (const spin_config *)&other) == SPIN_OK);
    check("other settings", ((int64_t(*)(spin_self *))effect("settle")->function)(self) == 1192);
    spin_saving saving = {sizeof saving, 0, write_saved};
    check("save", swap->save(fake_call(), self, &saving) == SPIN_OK);
    life->stop(self);
    const int64_t kept = 5;
    spin_saved saved = {sizeof saved, 0, 7, 0, "0.9.0", (const uint8_t *)&kept, sizeof kept};
    check("restore", swap->restore(fake_call(), self, &saved) == SPIN_OK);
    check("restored", ((int64_t(*)(spin_self *, int64_t))effect("count")->function)(self, 0) == 5);
    saved.data_size = 3;
    check("refused", swap->restore(fake_call(), self, &saved) == SPIN_BAD_VALUE);
    functions->destroy(self);
    failures += !fake_expect("the functions of an instance reach the host", "0 fail -5 no settings\n"
                                                                            "0 log 1 0 start\n"
                                                                            "0 fail -6 for ever\n"
                                                                            "0 save 8 42\n"
                                                                            "0 fail -5 0.9.0\n");
}

int main(int count, char **arguments) {
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    entry = library ? dlsym(library, "spin_entry") : NULL;
    if (!entry) {
        fprintf(stderr, "%s\n", count == 2 ? dlerror() : "give one build of macros.c");
        return 1;
    }
    check("entry",
          entry->size == sizeof *entry && entry->abi_major == SPIN_ABI_MAJOR && entry->abi_minor == 0);
    check("identity", strcmp(entry->id, "macros") == 0 && strcmp(entry->version, "1.2.3") == 0);
    fake_render = render;
    test_sizes();
    test_records();
    test_constructor();
    *entry->host = &fake_host;
    test_effects();
    test_emitters();
    test_host();
    test_instance();
    return failures != 0;
}
