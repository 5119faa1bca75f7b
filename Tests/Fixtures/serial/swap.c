// What an instance hands over to the next one, of this process or another.
#include "system.h"
#include "world.h"
#include "../common/process.h"
#include <stddef.h>
#include <sys/file.h>
#include <unistd.h>

// A swap amid a line.
static void test_swap(void) {
    reset_config();
    plug();
    int device = open_device();
    struct termios2 before = settings_of(device);
    spin_self *self = make();
    spin_call *reader = call_lines(self, -1);
    await_begin(self);
    say("one\ntw", 6);
    host_await(reader, "one\n");
    system_await_read(6);
    stop(self);
    say("o\nth", 4);
    config.baud = 19200;
    spin_self *next = take_over(self);
    start(next);
    host_cancel(reader); // as a thread of the host that is late
    destroy(self);
    struct termios2 set = settings_of(device);
    check("the port has the settings of the next one", set.c_ospeed == 19200 && set.c_lflag == 0);
    reader = call_lines(next, -1);
    expect("no byte is lost", host_await(reader, "two\n"), "two\n");
    say("ree\n", 4);
    expect("the next one reads", host_await(reader, "three\n"), "two\nthree\n");
    system_await_read(8);
    spin_call *written = call_write(next, "four", 4);
    hear("four", 4);
    expect("it writes", host_ended(written), "");
    stop(next);
    // Another one that does not start leaves the port as it is.
    config.format = TEXT("7E1");
    spin_self *refused = take_over(next);
    expect("it refuses", reason_of_start(refused), "-1 setting `format`: `port` cannot do `7E1`");
    destroy(refused);
    config.format = TEXT("8N1");
    start(next);
    host_cancel(reader);
    reader = call_lines(next, -1);
    say("five\n", 5);
    expect("the old one continues", host_await(reader, "five\n"), "five\n");
    system_await_read(5);
    stop(next);
    // A device that was exchanged is another one.
    close(peer);
    close(device);
    plug();
    spin_self *last = take_over(next);
    host_cancel(reader);
    destroy(next);
    start(last);
    reader = call_lines(last, -1);
    spin_call *changes = call_open(last);
    host_await(changes, "opened port\n");
    say("six\n", 4);
    expect("it reads from the new one", host_await(reader, "six\n"), "six\n");
    system_await_read(4);
    host_cancel(changes);
    host_cancel(reader);
    stop(last);
    // The last instance puts the settings back.
    device = open_device();
    destroy(last);
    set = settings_of(device);
    check("its settings are back", set.c_lflag == before.c_lflag && set.c_cflag == before.c_cflag);
    close(device);
    unplug();
}

// A device that is lost after a swap: the old instance, which is not freed, does not keep it locked.
static void test_lost_after_swap(void) {
    reset_config();
    plug();
    spin_self *self = make();
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    spin_call *changes = call_open(next), *reader = call_lines(next, -1);
    await_begin(next);
    system_fail_read();
    say("back\n", 5);
    host_await(changes, "disconnected\n");
    host_await_timer(config.reopen);
    host_advance(config.reopen);
    expect("it opens again", host_await(changes, "opened port\n"),
           "opened port\nclosed `port` has gone: it was disconnected\nopened port\n");
    expect("the next one reads", host_await(reader, "back\n"), "back\n");
    system_await_read(5);
    host_cancel(changes);
    host_cancel(reader);
    destroy(self);
    stop(next);
    destroy(next);
    unplug();
}

// An instance of another process opens the port when this one has stopped, and before it is freed.
static void test_other_process(void) {
    reset_config();
    plug();
    int device = open_device();
    spin_self *self = make();
    check("it is locked", flock(device, LOCK_EX | LOCK_NB) != 0);
    stop(self);
    check("it is free", flock(device, LOCK_EX | LOCK_NB) == 0);
    destroy(self);
    check("the settings are those of the other one", settings_of(device).c_lflag == 0);
    close(device);
    unplug();
}

static void test_strange_state(void) {
    reset_config();
    plug();
    spin_self *self = make();
    stop(self);
    destroy(take_over(self));
    static const char strange[200] = "serial 0";
    spin_self *next = create();
    check("it refuses nothing", restore(next, "", 0) != SPIN_OK);
    check("it refuses what is too short", restore(next, saved_bytes, saved_size - 1) != SPIN_OK);
    check("it refuses another mark", restore(next, strange, sizeof strange) != SPIN_OK);
    destroy(next);
    destroy(self);
    unplug();
}

// After a restart a process can have the number of the one before, as in a container. Its descriptors are other ones.
static void test_restart(void) {
    static const size_t changed[] = {offsetof(struct process, number), offsetof(struct process, start),
                                     offsetof(struct process, boot)};
    reset_config();
    plug();
    spin_self *self = make();
    spin_call *reader = call_lines(self, -1);
    await_begin(self);
    say("of before", 9);
    system_await_read(9);
    stop(self);
    destroy(take_over(self));
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        char *byte = &saved_bytes[8 + changed[i]];
        *byte ^= 1;
        spin_self *next = create();
        check("it begins afresh", restore(next, saved_bytes, saved_size) == SPIN_OK);
        *byte ^= 1;
        start(next);
        spin_call *first = call_lines(next, -1);
        await_begin(next);
        say("now\n", 4);
        expect("it has only what has come since", host_await(first, "now\n"), "now\n");
        system_await_read(4);
        host_cancel(first);
        stop(next);
        destroy(next);
    }
    host_cancel(reader);
    destroy(self);
    unplug();
}

void test_swaps(void) {
    test_swap();
    test_lost_after_swap();
    test_other_process();
    test_strange_state();
    test_restart();
    reset_config();
}
