#include "world.h"
#include "../plugin-host/plugin.h"
#include <stdlib.h>
#include <string.h>

char saved_bytes[1 << 16];
size_t saved_size;

const char *reason_of_create(void) {
    spin_call *call = host_call("create");
    check("no instance is made", plugin_instance()->create(call, &config) == NULL);
    return host_ended(call);
}

spin_self *create(void) {
    spin_self *self = plugin_instance()->create(host_call("create"), &config);
    check("an instance is made", self != NULL);
    return self;
}

/* The calls of instances that have started; one starts at a time, and seldom a second one. */
static struct {
    spin_self *self;
    spin_call *call;
} lives[8];

static spin_call **life_of(const spin_self *self) {
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++)
        if (lives[i].self == self)
            return &lives[i].call;
    abort();
}

void start(spin_self *self) {
    size_t place = 0;
    while (lives[place].self)
        place++;
    lives[place].self = self;
    lives[place].call = host_call("life");
    polls_set_instance_call(lives[place].call);
    check("it starts", plugin_life()->start(host_call("start"), self) == SPIN_OK);
}

void stop(spin_self *self) {
    host_cancel(*life_of(self));
    plugin_life()->stop(self);
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++)
        if (lives[i].self == self)
            lives[i].self = NULL;
}

void destroy(spin_self *self) { plugin_instance()->destroy(self); }

void end(spin_self *self, spin_call *call) {
    host_cancel(call);
    settle(self);
    stop(self);
    destroy(self);
}

spin_self *make(void) {
    spin_self *self = create();
    start(self);
    return self;
}

static spin_status write_saved(spin_saving *saving, const void *data, size_t size) {
    (void)saving;
    check("there is room", saved_size + size <= sizeof saved_bytes);
    memcpy(saved_bytes + saved_size, data, size);
    saved_size += size;
    return SPIN_OK;
}

spin_status restore(spin_self *self, const void *data, size_t size) {
    const spin_saved saved = {
        .size = sizeof saved, .schema = 1, .version = "1", .data = (const uint8_t *)data, .data_size = size};
    return plugin_swap()->restore(host_call("restore"), self, &saved);
}

spin_self *take_over(spin_self *self) {
    spin_saving saving = {sizeof saving, 0, write_saved};
    saved_size = 0;
    check("it saves", plugin_swap()->save(host_call("save"), self, &saving) == SPIN_OK);
    spin_self *next = create();
    check("another one restores", restore(next, saved_bytes, saved_size) == SPIN_OK);
    return next;
}
