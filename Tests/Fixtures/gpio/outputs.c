// Outputs: what they drive at first and later, and lines of others.
#include "world.h"
#include <errno.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <string.h>

static void test_levels(void) {
    chip_plug(0, "board");
    reset_config();
    config.outputs = TEXTS("a", "1", "c", "d");
    config.initially_active = TEXTS("1", "d");
    config.active_low = TEXTS("c", "3");
    spin_self *self = make();
    expect("they are driven once", chip_driven(), "0=0\n1=1\n2=1\n3=0\n");
    set(self, "a", true);
    set(self, "c", true);
    set(self, "1", false);
    set(self, "b", true); // another name of the same line
    expect("each call drives one line", chip_driven(), "0=1\n2=0\n1=0\n1=1\n");
    expect("the level is that of the app", get(self, "c"), "c=1\n");
    expect("the level is that of the app", get(self, "a"), "a=1\n");
    expect("others cannot be set", host_ended(ask_set(self, "e", true)),
           "-5 the line `e` is not in the setting `outputs`");
    expect("others cannot be set", host_ended(ask_set(self, "lamp", true)),
           "-5 the line `lamp` is not in the setting `outputs`");
    expect("an output is not watched", host_ended(ask_edges(self, TEXTS("e", "a"), -1)),
           "-5 the line `a` is an output");
    spin_call *cancelled = ask_set(self, "a", false);
    host_cancel(cancelled);
    set(self, "a", true);
    check("the level stays after the call", chip_output(0, 0) == 1);
    chip_driven();
    end(self);
    expect("the end drives nothing", chip_driven(), "");
    check("the level stays at the end", chip_output(0, 0) == 1 && chip_output(0, 2) == 0);
    chip_unplug(0);
}

static void test_drives(void) {
    const struct {
        spin_string drive;
        uint64_t flags;
    } cases[] = {{TEXT("push-pull"), 0},
                 {TEXT("open-drain"), GPIO_V2_LINE_FLAG_OPEN_DRAIN},
                 {TEXT("open-source"), GPIO_V2_LINE_FLAG_OPEN_SOURCE}};
    chip_plug(0, "board");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset_config();
        config.drive = cases[i].drive;
        config.bias = TEXT("pull-up"); // of inputs alone
        config.debounce = 1000;
        config.outputs = TEXTS("a");
        spin_self *self = make();
        check("it is driven so", chip_flags(0, 0) == (GPIO_V2_LINE_FLAG_OUTPUT | cases[i].flags));
        end(self);
    }
    chip_driven();
    chip_unplug(0);
}

spin_self *make_pulled_low(void) {
    chip_plug(0, "board");
    reset_config();
    config.outputs = TEXTS("c");
    config.drive = TEXT("open-drain");
    spin_self *self = make();
    set(self, "c", true);
    chip_input(0, 2, 0);
    chip_driven();
    return self;
}

// Another device pulls an open-drain output low in a swap: this is not the level to keep.
static void test_shared(void) {
    spin_self *self = make_pulled_low();
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    expect("the level is the one of the line", get(next, "c"), "c=0\n");
    stop(next);
    start(self);
    destroy(next);
    chip_driven();
    struct spin_config before = config;
    config.drive = TEXT("open-source");
    reconfigure(self, &before);
    expect("the output keeps its own", chip_driven(), "2=1\n");
    end(self);
    chip_unplug(0);
}

// A line that another program has.
static void test_busy(void) {
    chip_plug(0, "board");
    chip_occupy(0, 1, "other");
    reset_config();
    config.outputs = TEXTS("a", "b");
    config.initially_active = TEXTS("b");
    spin_self *self = make();
    set(self, "a", true);
    expect("one line does not need the other", chip_driven(), "0=0\n0=1\n");
    static const char reason[] =
        "-1 the line `b` is in use by `other`: end that program, or share the plugin among loops by "
        "`instance = \"app\"`";
    expect("it says who has it", host_ended(ask_set(self, "b", false)), reason);
    expect("it says who has it", get(self, "b"), reason);
    chip_occupy(0, 1, NULL);
    pass_until(self, "b");
    set(self, "b", true);
    expect("it begins as the settings say", chip_driven(), "1=1\n1=1\n");
    end(self);
    chip_unplug(0);
}

// Lines that `get` reads are inputs from then on.
static void test_inputs(void) {
    chip_plug(0, "board");
    reset_config();
    config.bias = TEXT("pull-down");
    config.active_low = TEXTS("b");
    spin_self *self = make();
    expect("it is low", get(self, "a"), "a=0\n");
    expect("it is active", get(self, "b"), "b=1\n");
    check("it is held", chip_flags(0, 0) == (GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN));
    chip_input(0, 0, 1);
    expect("it is high", get(self, "0"), "0=1\n");
    spin_call *waits = ask_get(self, "a", 0);
    host_await_room(waits);
    chip_input(0, 0, 0);
    host_set_room(waits, 1);
    expect("it emits the level that is", host_ended(waits), "a=0\n");
    waits = ask_get(self, "a", 0);
    host_await_room(waits);
    host_cancel(waits);
    expect("a line is one", get(self, "lamp"),
           "-5 `gpiochip0` has no line `lamp`: it has the numbers 0 to 7, and `gpioinfo` shows the names");
    chip_occupy(0, 2, "other");
    expect("it says who has it", get(self, "c"),
           "-1 the line `c` is in use by `other`: end that program, or share the plugin among loops by "
           "`instance = \"app\"`");
    expect("it drives nothing", chip_driven(), "");
    end(self);
    check("it is free", !chip_is_held(0, 0));
    chip_unplug(0);
}

// Calls that have waited for room emit in their order.
static void test_turns(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    get(self, "e");
    spin_call *waits[] = {ask_get(self, "a", 0), ask_get(self, "b", 0), ask_get(self, "c", 0)};
    for (int i = 0; i < 3; i++)
        host_await_room(waits[i]);
    // While the plugin reads another line, all of them get room.
    chips_hold();
    spin_call *other = ask_get(self, "e", -1);
    for (int i = 0; i < 3; i++)
        host_set_room(waits[i], 1);
    chips_continue();
    host_ended(other);
    for (int i = 0; i < 3; i++)
        host_ended(waits[i]);
    check("they have their order",
          levels_before('a') < levels_before('b') && levels_before('b') < levels_before('c'));
    end(self);
    chip_unplug(0);
}

void test_outputs(void) {
    test_levels();
    test_drives();
    test_shared();
    test_busy();
    test_inputs();
    test_turns();
}
