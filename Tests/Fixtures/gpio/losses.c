// Chips that come later, go, and come back under another number.
#include "world.h"
#include <errno.h>
#include <linux/gpio.h>
#include <string.h>

static void test_later(void) {
    reset_config();
    config.outputs = TEXTS("c");
    config.initially_active = TEXTS("c");
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("a", "b"), -1);
    static const char missing[] = "closed cannot open `/dev/gpiochip0`: No such file or directory\n";
    expect("it waits", host_await(call, missing), missing);
    for (int i = 0; i < 5; i++) {
        host_await_timer(config.reopen);
        host_advance(config.reopen);
    }
    host_await_timer(config.reopen);
    chip_plug(0, "board");
    pass_until(self, "7");
    host_await(call, "opened gpiochip0\n");
    expect("outputs begin as the settings say", chip_driven(), "2=1\n");
    chip_input(0, 1, 1);
    expect("it watches", host_await(call, "b rising\n"),
           "closed cannot open `/dev/gpiochip0`: No such file or directory\nopened gpiochip0\nb rising\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

// A chip with other lines than the call names.
static void test_other_lines(void) {
    reset_config();
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("button"), -1);
    host_await(call, "directory\n");
    chip_plug(0, "board");
    pass_until(self, "7");
    expect("the call fails", host_ended(call),
           "closed cannot open `/dev/gpiochip0`: No such file or directory\n"
           "-5 `gpiochip0` has no line `button`: it has the numbers 0 to 7, and `gpioinfo` shows the names");
    end(self);
    chip_unplug(0);
}

// It has another number when it comes back, and its label leads to it.
static void test_return(void) {
    chip_plug(1, "expander");
    reset_config();
    config.chip = TEXT("expander");
    config.outputs = TEXTS("c", "d");
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("a"), -1), *left = ask_edges(self, TEXTS("b"), -1);
    host_await(call, "opened expander\n");
    host_await(left, "opened expander\n");
    set(self, "c", true);
    expect("it drives", chip_driven(), "2=0\n3=0\n2=1\n");
    chip_input(1, 0, 1);
    host_await(call, "a rising\n");
    host_cancel(left);
    chip_unplug(1);
    static const char gone[] = "closed `gpiochip1` has gone: it was disconnected\n";
    host_await(call, gone);
    expect("an output cannot be set", host_ended(ask_set(self, "c", false)),
           "-1 `gpiochip1` has gone: it was disconnected");
    expect("a line cannot be read", get(self, "a"), "-1 `gpiochip1` has gone: it was disconnected");
    int looks = chip_looks();
    for (int i = 0; i < 3; i++) {
        host_await_timer(config.reopen);
        host_advance(config.reopen);
    }
    host_await_timer(config.reopen);
    check("it looks for it at its times alone", chip_looks() > looks && chip_looks() <= looks + 3);
    chip_plug(3, "expander");
    pass_until(self, "7");
    host_await(call, "opened expander\n");
    expect("outputs have what the app has set", chip_driven(), "2=1\n3=0\n");
    chip_input(3, 0, 1);
    expect("it watches the new one", host_await(call, "opened expander\na rising\n"),
           "opened expander\na rising\nclosed `gpiochip1` has gone: it was disconnected\nopened expander\na "
           "rising\n");
    check("a line without a call is free", !chip_is_held(3, 1));
    host_cancel(call);
    end(self);
    chip_unplug(3);
}

// A loop without room, whose chip goes and comes back: it hears of both when it has room.
static void test_full(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    spin_call *full = ask_edges(self, TEXTS("a"), 1), *other = ask_edges(self, TEXTS("b"), -1);
    host_await(full, "opened gpiochip0\n");
    host_await(other, "opened gpiochip0\n");
    chip_input(0, 0, 1);
    host_await_room(full);
    chip_unplug(0);
    host_await(other, "disconnected\n");
    chip_plug(0, "board");
    pass_until(self, "7");
    host_await(other, "disconnected\nopened gpiochip0\n");
    chip_input(0, 0, 1);
    host_set_room(full, -1);
    host_await(full, "opened gpiochip0\na rising\n");
    host_cancel(full);
    host_cancel(other);
    end(self);
    chip_unplug(0);
}

// A chip that goes while nobody watches a line is noticed, too.
static void test_idle(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    expect("it is there", get(self, "a"), "a=0\n");
    chip_unplug(0);
    chip_plug(0, "board");
    pass_until(self, "7");
    check("it holds what is used", !chip_is_held(0, 0) && chip_is_held(0, 7));
    end(self);
    chip_unplug(0);
}

// As many calls as there may be, all of which wait for the chip.
static void test_many(void) {
    enum { most = 64 };
    spin_call *calls[most];
    reset_config();
    spin_self *self = make();
    for (int i = 0; i < most; i++)
        calls[i] = ask_edges(self, TEXTS("a"), -1);
    expect("there are no more", host_ended(ask_edges(self, TEXTS("b"), -1)),
           "-2 the plugin holds as many inputs as it can");
    for (int i = 0; i < most; i++)
        host_await(calls[i], "directory\n");
    host_cancel(calls[0]);
    calls[0] = ask_edges(self, TEXTS("a"), -1);
    host_await(calls[0], "directory\n");
    expect("a call that has ended does not count, but others do", host_ended(ask_edges(self, TEXTS("b"), -1)),
           "-2 the plugin holds as many inputs as it can");
    chip_plug(0, "board");
    host_await_timer(config.reopen);
    host_advance(config.reopen);
    int opened = 0;
    for (int i = 0; i < most; i++) {
        const char *text = host_await(calls[i], "opened gpiochip0\n");
        opened += strstr(text, "opened") != NULL;
        host_cancel(calls[i]);
    }
    check("one of them has the line", opened == 1);
    end(self);
    chip_unplug(0);
}

// The chip goes after a swap, and the host takes the old version back: outputs have what the new version has set.
static void test_return_of_version(bool is_back) {
    chip_plug(0, "board");
    reset_config();
    config.outputs = TEXTS("c", "d");
    spin_self *self = make();
    set(self, "c", true);
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    set(next, "c", false);
    set(next, "d", true);
    chip_unplug(0);
    expect("it has gone", host_ended(ask_set(next, "c", true)),
           "-1 `gpiochip0` has gone: it was disconnected");
    stop(next);
    if (is_back)
        chip_plug(0, "board");
    start(self);
    destroy(next);
    if (!is_back)
        chip_plug(0, "board");
    pass_until(self, "c");
    expect("the levels are the last ones", chip_driven(), "2=0\n3=1\n");
    end(self);
    chip_unplug(0);
}

void test_losses(void) {
    test_return_of_version(false);
    test_return_of_version(true);
    test_many();
    test_later();
    test_other_lines();
    test_return();
    test_full();
    test_idle();
}
