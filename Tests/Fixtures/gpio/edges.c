// Edges: their order, and the begin and the end of calls.
#include "world.h"
#include <errno.h>
#include <linux/gpio.h>
#include <string.h>

static const char opened[] = "opened gpiochip0\n";

static void test_order(void) {
    chip_plug(0, "board");
    reset_config();
    config.bias = TEXT("pull-up");
    config.debounce = 1500; // less than 2 microseconds
    config.active_low = TEXTS("c");
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("a", "2"), -1);
    host_await(call, opened);
    check("it has its settings",
          chip_flags(0, 0) ==
                  (GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_BIAS_PULL_UP | GPIO_V2_LINE_FLAG_EDGE_RISING |
                   GPIO_V2_LINE_FLAG_EDGE_FALLING | GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME) &&
              chip_debounce(0, 0) == 2);
    chip_input(0, 0, 1);
    chip_input(0, 2, 1);
    chip_input(0, 0, 0);
    chip_input(0, 2, 0);
    expect("edges come in order, by the names of the call", host_await(call, "2 rising\n"),
           "opened gpiochip0\na rising\n2 falling\na falling\n2 rising\n");
    expect("a level is read beside", get(self, "c"), "c=1\n");
    expect("a line has one call", host_ended(ask_edges(self, TEXTS("b", "0"), -1)),
           "-5 another call of `edges` has the line `a`");
    spin_call *other = ask_edges(self, TEXTS("b"), -1);
    host_await(other, opened);
    chip_input(0, 1, 1);
    expect("another call has other lines", host_await(other, "b rising\n"), "opened gpiochip0\nb rising\n");
    host_cancel(other);
    chip_input(0, 0, 1);
    host_await(call, "a rising\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

static void test_arguments(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    spin_string many[65];
    for (int i = 0; i < 65; i++)
        many[i] = (spin_string){"a", 1};
    expect("there is a line", host_ended(ask_edges(self, (spin_list_string){many, 0}, -1)),
           "-5 a call of `edges` has 1 to 64 lines");
    expect("there are not too many", host_ended(ask_edges(self, (spin_list_string){many, 65}, -1)),
           "-5 a call of `edges` has 1 to 64 lines");
    expect("a line is named once", host_ended(ask_edges(self, TEXTS("a", "b", "0"), -1)),
           "-5 the line `0` is named twice");
    expect("a line is one", host_ended(ask_edges(self, TEXTS("a", "twin"), -1)),
           "-5 `gpiochip0` has two lines `twin`, 6 and 7: name one of them by its number");
    chip_refuse(0, 1, ENXIO);
    expect("a line can have edges", host_ended(ask_edges(self, TEXTS("b"), -1)),
           "-1 `gpiochip0` cannot use the line `b` in this way: No such device or address");
    check("nothing is held", !chip_is_held(0, 0) && !chip_is_held(0, 1));
    end(self);
    chip_unplug(0);
}

// Lines after their call: for a second, only a call of the same run continues with them.
static void test_ends(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    spin_call *call = ask_edges_again(self, TEXTS("a", "b"), "run");
    host_await(call, opened);
    host_cancel(call);
    chip_input(0, 0, 1);
    call = ask_edges_again(self, TEXTS("a", "b"), "run");
    expect("the same run continues", host_await(call, "a rising\n"), "a rising\n");
    host_cancel(call);
    chip_input(0, 0, 0);
    call = ask_edges_again(self, TEXTS("b", "a"), "another");
    host_await(call, opened);
    chip_input(0, 0, 1);
    expect("another one begins with what comes", host_await(call, "a rising\n"),
           "opened gpiochip0\na rising\n");
    host_cancel(call);
    call = ask_edges_again(self, TEXTS("b"), "third");
    host_await(call, opened);
    check("it lets go of the other line, too", !chip_is_held(0, 0) && chip_is_held(0, 1));
    host_cancel(call);
    expect("a line is read after its call", get(self, "b"), "b=0\n");
    get(self, "b"); // The engine has seen the end of the call before this one.
    host_await_timer(1000000000);
    host_advance(1000000000);
    chip_await_release(0, 1);
    expect("a line that is free is an input", get(self, "b"), "b=0\n");
    check("it has no edges", chip_flags(0, 1) == GPIO_V2_LINE_FLAG_INPUT);
    call = ask_edges(self, TEXTS("b"), -1);
    host_await(call, opened);
    check("it has edges now", chip_flags(0, 1) & GPIO_V2_LINE_FLAG_EDGE_RISING);
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

// A line that another program has, and then not.
static void test_busy(void) {
    chip_plug(0, "board");
    chip_occupy(0, 1, "other");
    reset_config();
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("a", "b"), -1);
    static const char closed[] =
        "closed the line `b` is in use by `other`: end that program, or share the plugin among loops "
        "by `instance = \"app\"`\n";
    expect("it says who has it", host_await(call, closed), closed);
    check("the other line is free", !chip_is_held(0, 0));
    host_await_timer(config.reopen);
    host_advance(config.reopen);
    chip_occupy(0, 1, NULL);
    pass_until(self, "b");
    host_await(call, opened);
    chip_input(0, 1, 1);
    host_await(call, "b rising\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

// The name of that program is not a text.
static void test_strange(void) {
    chip_plug(0, "board");
    chip_occupy(0, 1, "gr\xfc\n`x");
    reset_config();
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("b"), -1);
    static const char closed[] =
        "closed the line `b` is in use by `gr??`x`: end that program, or share the plugin among loops "
        "by `instance = \"app\"`\n";
    expect("it says who has it", host_await(call, closed), closed);
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

void test_edges(void) {
    test_order();
    test_arguments();
    test_ends();
    test_busy();
    test_strange();
}
