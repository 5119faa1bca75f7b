// Chips that are named by their labels.
#include "world.h"
#include <string.h>

static void test_names(void) {
    chip_plug(0, "first");
    chip_plug(2, "second");
    const spin_string names[] = {TEXT("second"), TEXT("gpiochip2"), TEXT("/dev/gpiochip2")};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        reset_config();
        config.chip = names[i];
        config.outputs = TEXTS("c");
        spin_self *self = make();
        check("it is this chip", chip_is_held(2, 2) && !chip_is_held(0, 2));
        expect("others see who holds it", chip_consumer(2, 2), "test");
        end(self);
        check("its lines are free at the end", !chip_is_held(2, 2));
    }
    chip_unplug(0);
    chip_plug(0, "second");
    reset_config();
    config.chip = TEXT("second");
    spin_self *self = create();
    const char *reason = reason_of_start(self);
    check("two chips have the label",
          strcmp(reason, "-1 setting `chip`: `gpiochip0` and `gpiochip2` have the label "
                         "`second`: name one by its path") == 0 ||
              strcmp(reason, "-1 setting `chip`: `gpiochip2` and `gpiochip0` have the label "
                             "`second`: name one by its path") == 0);
    destroy(self);
    chip_unplug(0);
    chip_unplug(2);
}

// The chip goes, and two of its kind come: the plugin waits until one of them has gone.
static void test_two(void) {
    chip_plug(1, "board");
    reset_config();
    config.chip = TEXT("board");
    config.outputs = TEXTS("c");
    spin_self *self = make();
    set(self, "c", true);
    chip_unplug(1);
    expect("the chip has gone", host_ended(ask_set(self, "c", true)),
           "-1 `gpiochip1` has gone: it was disconnected");
    chip_plug(2, "board");
    chip_plug(3, "board");
    while (!strstr(get(self, "c"), "have the label `board`: name one by its path")) {
        host_await_timer(config.reopen);
        host_advance(config.reopen);
    }
    spin_call *call = ask_edges(self, TEXTS("a"), -1);
    host_await(call, "name one by its path\n");
    expect("it drives neither", chip_driven(), "");
    chip_unplug(2);
    pass_until(self, "c");
    host_await(call, "opened board\n");
    expect("it drives the one that is left", chip_driven(), "2=1\n");
    host_cancel(call);
    end(self);
    chip_unplug(3);
}

// A second chip with the label does not disturb the one in use: neither in a swap, nor when the host takes the old
// version back.
static void test_swap(void) {
    chip_plug(2, "board");
    chip_set_resets(2, true);
    reset_config();
    config.chip = TEXT("board");
    config.outputs = TEXTS("c");
    spin_self *self = make();
    set(self, "c", true);
    chip_plug(1, "board");
    chip_plug(3, "board");
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    expect("it has the same chip", get(next, "c"), "c=1\n");
    stop(next);
    start(self);
    expect("the old one has it, too", get(self, "c"), "c=1\n");
    destroy(next);
    expect("nobody has driven anything", chip_driven(), "");
    end(self);
    for (int i = 1; i <= 3; i++)
        chip_unplug(i);
}

void test_labels(void) {
    test_names();
    test_two();
    test_swap();
}
