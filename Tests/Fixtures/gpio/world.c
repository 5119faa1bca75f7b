#include "world.h"
#include "../plugin-host/plugin.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

const int plugin_waits = 0;

struct spin_config config;

static atomic_int emitted, places[256];

int levels_before(char line) { return atomic_load(&places[(unsigned char)line]); }

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    char text[700];
    int size;
    if (strcmp(emitter->name, "edge") == 0) {
        const struct {
            spin_string line, edge;
            spin_timestamp time;
        } *edge = payload;
        check("an edge has a time", edge->time > 0);
        size = snprintf(text, sizeof text, "%.*s %.*s\n", (int)edge->line.size, edge->line.data,
                        (int)edge->edge.size, edge->edge.data);
    } else if (strcmp(emitter->name, "level") == 0) {
        const struct {
            spin_string line;
            bool level;
        } *level = payload;
        atomic_store(&places[(unsigned char)level->line.data[0]], atomic_fetch_add(&emitted, 1));
        size =
            snprintf(text, sizeof text, "%.*s=%d\n", (int)level->line.size, level->line.data, level->level);
    } else if (strcmp(emitter->name, "lost") == 0) {
        size = snprintf(text, sizeof text, "lost %lld\n", (long long)*(const int64_t *)payload);
    } else { // `opened` or `closed`
        const spin_string *only = payload;
        size = snprintf(text, sizeof text, "%s %.*s\n", emitter->name, (int)only->size, only->data);
    }
    host_note(call, text, (size_t)size);
}

spin_list_string texts(const char *const *all) {
    static spin_string places[1024];
    static size_t used;
    size_t count = 0;
    while (all[count])
        count++;
    if (used + count > sizeof places / sizeof *places)
        used = 0;
    spin_string *items = &places[used];
    used += count;
    for (size_t i = 0; i < count; i++)
        items[i] = (spin_string){all[i], strlen(all[i])};
    return (spin_list_string){items, count};
}

void reset_config(void) {
    config = (struct spin_config){.chip = TEXT("gpiochip0"),
                                  .bias = TEXT("as-is"),
                                  .drive = TEXT("push-pull"),
                                  .consumer = TEXT("test"),
                                  .reopen = 1000000000};
}

static spin_call *edges(spin_self *self, spin_list_string lines, const char *key, int room) {
    spin_call *call = host_call(key);
    host_set_room(call, room);
    ((void (*)(spin_call *, spin_self *, spin_list_string))plugin_effect("edges"))(call, self, lines);
    return call;
}

spin_call *ask_edges(spin_self *self, spin_list_string lines, int room) {
    static int runs;
    char key[16];
    snprintf(key, sizeof key, "edges %d", runs++);
    return edges(self, lines, key, room);
}

spin_call *ask_edges_again(spin_self *self, spin_list_string lines, const char *key) {
    return edges(self, lines, key, -1);
}

spin_call *ask_set(spin_self *self, const char *line, bool level) {
    spin_call *call = host_call("set");
    ((void (*)(spin_call *, spin_self *, spin_string, bool))plugin_effect("set"))(
        call, self, (spin_string){line, strlen(line)}, level);
    return call;
}

spin_call *ask_get(spin_self *self, const char *line, int room) {
    spin_call *call = host_call("get");
    host_set_room(call, room);
    ((void (*)(spin_call *, spin_self *, spin_string))plugin_effect("get"))(
        call, self, (spin_string){line, strlen(line)});
    return call;
}

void set(spin_self *self, const char *line, bool level) {
    expect("the output is set", host_ended(ask_set(self, line, level)), "");
}

const char *get(spin_self *self, const char *line) { return host_ended(ask_get(self, line, -1)); }

void pass_until(spin_self *self, const char *line) {
    // The first one comes to the engine perhaps before the engine tries again, but the second one does not.
    while (get(self, line), get(self, line)[0] == '-') {
        host_await_timer(config.reopen);
        host_advance(config.reopen);
    }
}

static spin_call *change(spin_self *self, const struct spin_config *before, spin_status expected) {
    // The instance has `config` itself, or one of these.
    static struct spin_config given[32];
    static size_t count;
    struct spin_config *next = &given[count++ % (sizeof given / sizeof *given)];
    *next = config;
    config = *before;
    spin_call *call = host_call("reconfigure");
    spin_status status = plugin_reconfigure()->reconfigure(call, self, before, next);
    check("it answers as it should", (status == SPIN_OK) == (expected == SPIN_OK));
    return call;
}

void reconfigure(spin_self *self, const struct spin_config *before) { change(self, before, SPIN_OK); }

const char *reason_of_reconfigure(spin_self *self, const struct spin_config *before) {
    return host_ended(change(self, before, SPIN_FAILED));
}

void end(spin_self *self) {
    stop(self);
    destroy(self);
}
