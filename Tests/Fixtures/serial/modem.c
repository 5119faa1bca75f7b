// Modem lines and breaks, of a driver of the test.
#include "driver.h"
#include "system.h"
#include "world.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

static const char *const no_lines = "-1 the device has no modem lines";

static void test_without_lines(void) {
    spin_self *self = make();
    expect("there are no lines", host_ended(call_signals(self)), no_lines);
    expect("none can be set", host_ended(call_set(self, 1, 1)), no_lines);
    expect("there is no break", host_ended(call_break(self, 1000000)), no_lines);
    expect("a break takes time", host_ended(call_break(self, 0)),
           "-5 a break is longer than 0 s, and at most 60 s");
    expect("it ends", host_ended(call_break(self, 60000000001)),
           "-5 a break is longer than 0 s, and at most 60 s");
    stop(self);
    destroy(self);
}

static void pass(spin_duration time) {
    host_await_timer(time);
    host_advance(time);
}

static void test_signals(void) {
    driver_set_lines(TIOCM_CTS | TIOCM_CD | TIOCM_DTR);
    spin_self *self = make();
    spin_call *first = call_signals(self);
    expect("the lines are told", host_await(first, "1010\n"), "1010\n");
    pass(config.signals_interval);
    driver_set_lines(TIOCM_DSR | TIOCM_RI);
    pass(config.signals_interval);
    expect("so are changes alone", host_await(first, "0101\n"), "1010\n0101\n");
    spin_call *second = call_signals(self);
    expect("another call hears of them", host_await(second, "0101\n"), "0101\n");
    // A change that finds no room comes later.
    host_set_room(second, 0);
    driver_set_lines(TIOCM_RI);
    pass(config.signals_interval);
    host_await_room(second);
    host_set_room(second, -1);
    expect("it comes", host_await(second, "0001\n"), "0101\n0001\n");
    host_cancel(first);
    host_cancel(second);
    stop(self);
    destroy(self);
    driver_await("settings\n");
}

static void test_changes(void) {
    enum { look = 5000000 };
    driver_set_lines(TIOCM_CTS | TIOCM_RTS);
    driver_set_unsent(5);
    spin_self *self = make();
    spin_call *written = call_write(self, "a", 1), *set = call_set(self, 1, 0),
              *broken = call_break(self, 100000000), *last = call_write(self, "b", 1);
    expect("bytes are written", host_ended(written), "");
    driver_await_look();
    driver_set_is_sent(0);
    driver_set_unsent(0);
    pass(look);
    // The hardware still has some.
    driver_await_look();
    host_await_timer(look);
    driver_await("");
    driver_set_is_sent(1);
    pass(look);
    char text[64];
    snprintf(text, sizeof text, "lines %d\nbreak\n", TIOCM_CTS | TIOCM_DTR);
    driver_await(text);
    expect("the lines are set", host_ended(set), "");
    hear("a", 1);
    pass(100000000);
    driver_await("end\n");
    expect("the break ends", host_ended(broken), "");
    expect("the next one follows", host_ended(last), "");
    hear("b", 1);
    // The end of a call ends its break.
    broken = call_break(self, 100000000);
    driver_await("break\n");
    host_cancel(broken);
    driver_await("end\n");
    broken = call_break(self, 100000000);
    driver_await("break\n");
    stop(self);
    driver_await("end\n");
    host_cancel(broken);
    destroy(self);
    driver_await("settings\n");
}

// A driver that cannot say what its hardware has: the plugin waits for the time of 16 characters of 12 bits.
static void test_hardware_that_is_not_known(void) {
    const int64_t time = 16 * 12 * (int64_t)1000000000 / config.baud;
    driver_set_lines(0);
    driver_set_is_sent(-1);
    spin_self *self = make();
    for (int i = 0; i < 2; i++) {
        spin_call *written = call_write(self, "a", 1), *set = call_set(self, 1, 0);
        expect("bytes are written", host_ended(written), "");
        hear("a", 1);
        host_await_timer(time);
        host_advance(time - 1);
        host_await_timer(1);
        driver_await("");
        host_advance(1);
        expect("the lines are set", host_ended(set), "");
        char text[64];
        snprintf(text, sizeof text, "lines %d\n", TIOCM_DTR);
        driver_await(text);
    }
    // Nothing was written since.
    expect("they are set at once", host_ended(call_set(self, 0, 0)), "");
    driver_await("lines 0\n");
    stop(self);
    destroy(self);
    driver_await("settings\n");
    driver_set_is_sent(1);
}

// A call that was cut off and is made again does not continue behind a change of the lines.
static void test_retry_behind_a_change(void) {
    enum { size = 1 << 20 };
    static char bytes[size];
    memset(bytes, 'a', size);
    config.most_unsent = 2 * size;
    spin_self *self = make();
    spin_call *cut_off = call_write_again(self, bytes, size, "retried");
    hear(bytes, 1);
    host_cancel(cut_off);
    expect("the lines are set", host_ended(call_set(self, 0, 0)), "");
    spin_call *again = call_write_again(self, bytes, size, "retried"), *last = call_write(self, "b", 1);
    check("it begins once more", hear_until("b") >= size);
    expect("it ends", host_ended(again), "");
    expect("so does the last one", host_ended(last), "");
    stop(self);
    destroy(self);
    driver_await("lines 0\nsettings\n");
}

static void *destroy_it(void *self) {
    destroy(self);
    return NULL;
}

// The end waits until the driver has sent what was written, and drops nothing then.
static void test_end(void) {
    spin_self *self = make();
    expect("bytes are written", host_ended(call_write(self, "a", 1)), "");
    stop(self);
    driver_set_unsent(1);
    pthread_t thread;
    check("the end begins", pthread_create(&thread, NULL, destroy_it, self) == 0);
    driver_await_look();
    driver_await_look();
    driver_set_unsent(0);
    pthread_join(thread, NULL);
    driver_await("settings\n");
    hear("a", 1);
}

// The end drops what the device does not send within two seconds.
static void test_end_without_the_other_side(void) {
    spin_self *self = make();
    expect("bytes are written", host_ended(call_write(self, "a", 1)), "");
    stop(self);
    driver_set_unsent(1);
    system_skip_sleeps(1);
    destroy(self);
    driver_await("drop\n");
    check("it has waited for two seconds", system_slept() == 2000000000);
    system_skip_sleeps(0);
    hear("a", 1);
}

void test_lines_of_modems(void) {
    plug();
    test_without_lines();
    driver_begin();
    test_signals();
    test_changes();
    test_hardware_that_is_not_known();
    test_retry_behind_a_change();
    test_end();
    test_end_without_the_other_side();
    driver_end();
    unplug();
}
