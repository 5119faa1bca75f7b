// Settings that change while the instance runs.
#include "world.h"
#include <errno.h>
#include <linux/gpio.h>
#include <string.h>

static struct spin_config before;

static spin_self *make_watching(spin_call **call) {
    chip_plug(0, "board");
    reset_config();
    config.outputs = TEXTS("c", "d");
    spin_self *self = make();
    set(self, "c", true);
    *call = ask_edges(self, TEXTS("a"), -1);
    host_await(*call, "opened gpiochip0\n");
    expect("they are driven", chip_driven(), "2=0\n3=0\n2=1\n");
    before = config;
    return self;
}

static void test_lines(void) {
    spin_call *call;
    spin_self *self = make_watching(&call);
    config.outputs = TEXTS("e", "2");
    config.initially_active = TEXTS("e");
    reconfigure(self, &before);
    expect("only the new one is driven", chip_driven(), "4=1\n");
    check("the old one is free", !chip_is_held(0, 3));
    expect("the kept one has its level", get(self, "c"), "c=1\n");
    set(self, "e", false);
    expect("the old one is not set", host_ended(ask_set(self, "d", true)),
           "-5 the line `d` is not in the setting `outputs`");
    chip_input(0, 0, 1);
    expect("calls continue", host_await(call, "a rising\n"), "opened gpiochip0\na rising\n");
    host_cancel(call);
    end(self);
    chip_driven();
    chip_unplug(0);
}

static void test_ways(void) {
    spin_call *call;
    spin_self *self = make_watching(&call);
    config.active_low = TEXTS("c", "a");
    config.drive = TEXT("open-drain");
    config.bias = TEXT("pull-up");
    config.debounce = 1000000;
    reconfigure(self, &before);
    expect("outputs keep what they drive", chip_driven(), "2=1\n3=0\n");
    expect("so the level is another one", get(self, "c"), "c=0\n");
    check("they are set in the new way",
          chip_flags(0, 3) == (GPIO_V2_LINE_FLAG_OUTPUT | GPIO_V2_LINE_FLAG_OPEN_DRAIN));
    check("inputs too", chip_flags(0, 0) & GPIO_V2_LINE_FLAG_BIAS_PULL_UP && chip_debounce(0, 0) == 1000);
    chip_input(0, 0, 1);
    expect("edges are those of the new way", host_await(call, "a falling\n"),
           "opened gpiochip0\na falling\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

static void test_refusals(void) {
    spin_call *call;
    spin_self *self = make_watching(&call);
    config.chip = TEXT("gpiochip1");
    expect("another chip", reason_of_reconfigure(self, &before), "-1 another chip needs a new instance");
    config.bias = TEXT("up");
    expect("another bias", reason_of_reconfigure(self, &before),
           "-1 setting `bias`: it is not `as-is`, `pull-up`, `pull-down` or `disabled`");
    config.outputs = TEXTS("c", "lamp");
    expect("another line", reason_of_reconfigure(self, &before),
           "-1 setting `outputs`: `gpiochip0` has no line `lamp`: it has the numbers 0 to 7, and `gpioinfo` "
           "shows the names");
    config.outputs = TEXTS("a");
    expect("a line of a call", reason_of_reconfigure(self, &before),
           "-1 setting `outputs`: a call of `edges` has the line `a`");
    config.active_low = TEXTS("c");
    config.bias = TEXT("pull-up");
    chip_refuse(0, 0, EINVAL);
    expect("what the kernel refuses", reason_of_reconfigure(self, &before),
           "-1 `gpiochip0` does not take over the settings of its lines: Invalid argument");
    check("the input is set as it was", !(chip_flags(0, 0) & GPIO_V2_LINE_FLAG_BIAS_PULL_UP));
    chip_refuse(0, 0, 0);
    expect("outputs have kept what they drive", chip_driven(), "2=1\n2=1\n");
    expect("the level is the old one", get(self, "c"), "c=1\n");
    config.bias = TEXT("as-is");
    config.active_low = TEXTS("c");
    chip_refuse(0, 2, EIO);
    expect("what the chip cannot do now", reason_of_reconfigure(self, &before),
           "-1 `gpiochip0` does not take over the settings of its lines: Input/output error");
    chip_refuse(0, 2, 0);
    set(self, "c", false);
    expect("the output is active when it is high", chip_driven(), "2=0\n");
    chip_input(0, 0, 1);
    expect("calls continue", host_await(call, "a rising\n"), "opened gpiochip0\na rising\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

// Without the chip, the settings apply when it comes.
static void test_missing(void) {
    spin_call *call;
    spin_self *self = make_watching(&call);
    chip_unplug(0);
    host_await(call, "disconnected\n");
    config.outputs = TEXTS("c", "e");
    config.initially_active = TEXTS("e");
    reconfigure(self, &before);
    chip_plug(0, "board");
    pass_until(self, "7");
    host_await(call, "disconnected\nopened gpiochip0\n");
    expect("the levels are the last ones", chip_driven(), "2=1\n4=1\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

// An output that was taken out and comes again, without the chip.
static void test_again(void) {
    chip_plug(0, "board");
    reset_config();
    config.outputs = TEXTS("c", "d");
    spin_self *self = make();
    set(self, "c", true);
    set(self, "d", true);
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    destroy(self);
    chip_unplug(0);
    expect("it has gone", host_ended(ask_set(next, "c", true)),
           "-1 `gpiochip0` has gone: it was disconnected");
    before = config;
    config.outputs = TEXTS("d");
    reconfigure(next, &before);
    before = config;
    config.outputs = TEXTS("c", "d");
    reconfigure(next, &before);
    chip_plug(0, "board");
    pass_until(next, "c");
    expect("it begins as at the start", chip_driven(), "2=0\n3=1\n");
    end(next);
    chip_unplug(0);
}

// A version that the host takes back has not got the chip yet, and its lines are where the other one has left them.
static void test_left(void) {
    spin_self *self = make_to_swap();
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    destroy(self);
    stop(next);
    chip_deny(0, EACCES);
    start(next);
    before = config;
    config.reopen = 2000000000;
    reconfigure(next, &before);
    chip_deny(0, 0);
    pass_until(next, "c");
    expect("nobody has driven them", chip_driven(), "");
    end(next);
    chip_unplug(0);
}

void test_changes(void) {
    test_lines();
    test_ways();
    test_refusals();
    test_missing();
    test_again();
    test_left();
}
