#include "instances.h"
#include "host.h"
#include "plugin.h"
#include "polls.h"
#include "saved.h"
#include <stdlib.h>

extern spin_config config;

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

const char *reason_of_start(spin_self *self) {
    spin_call *call = host_call("start"), *life_call = host_call("life");
    polls_set_instance_call(life_call);
    check("it does not start", plugin_life()->start(call, self) != SPIN_OK);
    host_cancel(life_call);
    return host_ended(call);
}

void halt(spin_self *self) { host_cancel(*life_of(self)); }

void stop(spin_self *self) {
    halt(self);
    plugin_life()->stop(self);
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++)
        if (lives[i].self == self)
            lives[i].self = NULL;
}

void destroy(spin_self *self) { plugin_instance()->destroy(self); }

spin_self *make(void) {
    spin_self *self = create();
    start(self);
    return self;
}

spin_self *take_over(spin_self *self) {
    save(self);
    spin_self *next = create();
    restore_saved(next);
    return next;
}
