// Publishes the table `clock` 1.2, whose function answers VERSION: instances in `start`, and an effect.
#include <spinhost/plugin.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef VERSION
#define VERSION 1
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef ID
#define ID "clock"
#endif

SPIN_PLUGIN(ID, "1.0");

struct clock_table {
    int64_t (*now)(void);
};

struct spin_self {
    int64_t opened;
};

static int64_t now(void) { return VERSION; }
static const struct clock_table table = {now};

static int32_t publish(void) { return spin_publish("clock", 1, 2, &table, sizeof table); }
SPIN_EFFECT(int32_t, publish, (void), "");

static int32_t withdraw(void) { return spin_withdraw("clock"); }
SPIN_EFFECT(int32_t, withdraw, (void), "");

static void say(const char *what) {
    char line[64];
    snprintf(line, sizeof line, "%s clock %d", what, VERSION);
    spin_print(line);
}

static spin_self *create(spin_call *call, const spin_config *config) {
    (void)call, (void)config;
    return calloc(1, sizeof(spin_self));
}

static void destroy(spin_self *self) {
    say("destroy");
    free(self);
}
SPIN_INSTANCE(create, destroy);

// The first instance publishes, and the last one withdraws.
static int started;

static spin_status start(spin_call *call, spin_self *self) {
    (void)call, (void)self;
    return started++ ? SPIN_OK : publish();
}

static void stop(spin_self *self) {
    (void)self;
    if (--started > 0)
        say("stop one");
    else
        say(withdraw() == SPIN_OK ? "stop" : "stop used");
}
SPIN_LIFE(start, stop);

static int64_t *volatile nothing;
static int64_t open_clock(spin_self *self) { return CRASHES ? *nothing : ++self->opened; }
SPIN_EFFECT(int64_t, open_clock, (spin_self * self), "");
