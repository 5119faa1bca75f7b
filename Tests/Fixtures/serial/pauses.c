// Frames that a pause ends.
#include "system.h"
#include "world.h"
#include <string.h>

// A pause ends a frame, and a shorter one does not.
static void test_idle(void) {
    spin_self *self = make();
    spin_call *call = call_frames(self, "idle:5ms");
    await_begin(self);
    say("ab", 2);
    system_await_read(2);
    host_await_timer(5000000);
    host_advance(3000000);
    say("cd", 2);
    system_await_read(2);
    host_advance(3000000);
    host_await_timer(6000000);
    host_advance(6000000);
    expect("a pause ends a frame", host_await(call, "64\n"), "61626364\n");
    say("e", 1);
    system_await_read(1);
    host_await_timer(5000000);
    host_advance(5000000);
    expect("so does the next one", host_await(call, "65\n"), "61626364\n65\n");
    say("1234567890123456789012345678901234567890", 40);
    system_await_read(40);
    host_await_timer(5000000);
    host_advance(5000000);
    expect("one is too long", host_await(call, "longest`)\n"),
           "61626364\n65\ndamaged 40: it is longer than 16 bytes (setting `longest`)\n");
    say("f", 1);
    system_await_read(1);
    host_await_timer(5000000);
    host_advance(5000000);
    host_await(call, "`)\n66\n");
    host_cancel(call);
    stop(self);
    destroy(self);
}

// A device that goes makes no pause, and takes back none that was over.
static void test_idle_cut(void) {
    const int64_t pause = 5000000;
    spin_self *self = make();
    spin_call *changes = call_open(self), *call = call_frames(self, "idle:5ms");
    await_begin(self);
    say("ab", 2);
    system_await_read(2);
    host_await_timer(pause);
    unplug();
    host_await(changes, "disconnected\n");
    const char *damaged = "damaged 2: the port was closed before its end\n";
    expect("it goes within a frame", host_await(call, "end\n"), damaged);
    plug();
    host_await_timer(config.reopen);
    host_advance(config.reopen);
    host_await(changes, "opened port\n");
    host_set_room(call, 0);
    say("cd", 2);
    system_await_read(2);
    host_await_timer(pause);
    host_advance(pause);
    host_await_room(call);
    unplug();
    host_await(changes, "opened port\nclosed `port` has gone: it was disconnected\n"
                        "opened port\nclosed `port` has gone: it was disconnected\n");
    host_set_room(call, -1);
    expect("it goes behind a frame", host_await(call, "6364\n") + strlen(damaged), "6364\n");
    host_cancel(changes);
    host_cancel(call);
    stop(self);
    destroy(self);
}

void test_pauses(void) {
    plug();
    config.longest = 16;
    test_idle();
    test_idle_cut();
}
