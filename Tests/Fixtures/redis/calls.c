#include "world.h"
#include "../plugin-host/plugin.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { most_words = 32 };

static spin_string text(const char *text) { return (spin_string){text, strlen(text)}; }

static spin_call *run(const char *key) {
    static atomic_int runs;
    char own[16];
    snprintf(own, sizeof own, "run %d", atomic_fetch_add(&runs, 1));
    return host_call(key ? key : own);
}

/* The words of a text, in memory of the function. */
static spin_list_string split(const char *words, spin_string items[most_words]) {
    size_t count = 0;
    for (const char *next = words; *next; next += strspn(next, " ")) {
        check("there is room for a word", count < most_words);
        items[count] = (spin_string){next, strcspn(next, " ")};
        next += items[count++].size;
    }
    return (spin_list_string){items, count};
}

void command_with(spin_self *self, spin_call *call, const char *words) {
    spin_string items[most_words];
    ((void (*)(spin_call *, spin_self *, spin_list_string))plugin_effect("command"))(call, self,
                                                                                     split(words, items));
}

spin_call *call_command(spin_self *self, const char *words, const char *key) {
    spin_call *call = run(key);
    command_with(self, call, words);
    return call;
}

spin_call *call_bytes(spin_self *self, const char *const *words, const size_t *sizes, size_t count) {
    spin_bytes items[most_words];
    spin_call *call = run(NULL);
    for (size_t i = 0; i < count; i++)
        items[i] = (spin_bytes){(const uint8_t *)words[i], sizes[i]};
    ((void (*)(spin_call *, spin_self *, spin_list_bytes))plugin_effect("command_bytes"))(
        call, self, (spin_list_bytes){items, count});
    return call;
}

void subscribe_with(spin_self *self, spin_call *call, const char *channels, const char *patterns) {
    spin_string items[most_words], others[most_words];
    ((void (*)(spin_call *, spin_self *, spin_list_string, spin_list_string))plugin_effect("subscribe"))(
        call, self, split(channels, items), split(patterns, others));
}

spin_call *call_subscribe(spin_self *self, const char *channels, const char *patterns) {
    spin_call *call = run(NULL);
    subscribe_with(self, call, channels, patterns);
    return call;
}

void read_with(spin_self *self, spin_call *call, const char *stream, const char *consumer, int acknowledges) {
    ((void (*)(spin_call *, spin_self *, spin_string, spin_string, spin_string, bool))plugin_effect("read"))(
        call, self, text(stream), text("group"), text(consumer), acknowledges != 0);
}

spin_call *call_read(spin_self *self, const char *stream, const char *consumer, int acknowledges,
                     const char *key) {
    spin_call *call = run(key);
    read_with(self, call, stream, consumer, acknowledges);
    return call;
}

spin_call *call_acknowledge(spin_self *self, const char *stream, const char *id, const char *key) {
    spin_call *call = run(key);
    ((void (*)(spin_call *, spin_self *, spin_string, spin_string, spin_string))plugin_effect("acknowledge"))(
        call, self, text(stream), text("group"), text(id));
    return call;
}

void settle(spin_self *self) {
    // The second one is seen after the function has run whole for the first one.
    for (int i = 0; i < 2; i++)
        expect("all calls are seen", host_ended(call_acknowledge(self, "none", "none", NULL)),
               "-5 an id is `TIME-NUMBER`, such as `1700000000000-0`");
}

void pass(spin_self *self, spin_duration time) {
    settle(self);
    host_advance(time);
    settle(self);
    host_advance(0); // Timers that have become due meanwhile.
    settle(self);
}
