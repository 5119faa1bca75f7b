// What an instance hands over to the next one of this process.
#include "world.h"
#include <errno.h>
#include <linux/gpio.h>
#include <string.h>
#include <unistd.h>

static const char opened[] = "opened gpiochip0\n";

spin_self *make_to_swap(void) {
    chip_plug(0, "board");
    chip_set_resets(0, true);
    reset_config();
    config.outputs = TEXTS("c", "d");
    config.initially_active = TEXTS("d");
    config.active_low = TEXTS("d");
    spin_self *self = make();
    set(self, "c", true);
    expect("they are driven", chip_driven(), "2=0\n3=0\n2=1\n");
    return self;
}

// Outputs keep their levels, also when the host takes the old version back.
static void test_outputs_stay(void) {
    spin_self *self = make_to_swap();
    stop(self);
    check("they are held between the versions", chip_output(0, 2) == 1 && chip_output(0, 3) == 0);
    spin_self *next = take_over(self);
    start(next);
    expect("the next one knows them", get(next, "c"), "c=1\n");
    set(next, "c", false);
    set(next, "d", false);
    expect("only it has driven them", chip_driven(), "2=0\n3=1\n");
    // The host takes the old one back, and hands nothing over.
    stop(next);
    start(self);
    expect("the old one has the levels of the next one", get(self, "c"), "c=0\n");
    expect("the old one has the levels of the next one", get(self, "d"), "d=0\n");
    destroy(next);
    expect("nobody has driven them", chip_driven(), "");
    set(self, "c", true);
    expect("it sets them", chip_driven(), "2=1\n");
    end(self);
    check("they are free at the end", !chip_is_held(0, 2) && !chip_is_held(0, 3));
    chip_unplug(0);
}

// Edges that were read and found no room, that wait in the kernel, and that come between the versions.
static void test_edges_stay(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    spin_call *call = host_call("run");
    call = ask_edges_again(self, TEXTS("a", "b"), "run");
    host_await(call, opened);
    host_set_room(call, 0);
    for (int i = 0; i < 40; i++)
        chip_input(0, 0, (i + 1) % 2);
    host_await_room(call);
    chip_input(0, 1, 1);
    host_cancel(call);
    stop(self);
    chip_input(0, 1, 0);
    spin_self *next = take_over(self);
    start(next);
    call = ask_edges_again(next, TEXTS("a", "b"), "run");
    chip_input(0, 0, 1);
    const char *text = host_await(call, "b rising\nb falling\na rising\n");
    check("each edge comes once",
          strlen(text) == 20 * strlen("a rising\na falling\n") + strlen("b rising\nb falling\na rising\n"));
    // It can let go of lines, although the old version could still come back.
    host_cancel(call);
    call = ask_edges(next, TEXTS("b"), -1);
    host_await(call, opened);
    check("the other line is free", !chip_is_held(0, 0));
    host_cancel(call);
    destroy(self);
    end(next);
    chip_unplug(0);
}

// Lines that no call wants after the swap are free after a while, also if the next version gets the chip later.
static void test_left(int error) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("a"), -1);
    host_await(call, opened);
    host_cancel(call);
    stop(self);
    spin_self *next = take_over(self);
    chip_deny(0, error);
    start(next);
    chip_deny(0, 0);
    pass_until(next, "7");
    expect("it is held", get(next, "a"), "a=0\n");
    check("it has edges", chip_flags(0, 0) & GPIO_V2_LINE_FLAG_EDGE_RISING);
    host_await_timer(5000000000);
    host_advance(5000000000);
    chip_await_release(0, 0);
    destroy(self);
    end(next);
    chip_unplug(0);
}

// A version whose settings the chip cannot have gives the lines back.
static void test_refused(void) {
    spin_self *self = make_to_swap();
    stop(self);
    config.outputs = TEXTS("c", "d", "lamp");
    spin_self *next = take_over(self);
    reason_of_start(next);
    start(self);
    destroy(next);
    expect("the level is the old one", get(self, "c"), "c=1\n");
    expect("nobody has driven it", chip_driven(), "");
    end(self);
    chip_unplug(0);
}

// A version that never gets the chip leaves the lines where they are.
static void test_denied(void) {
    spin_self *self = make_to_swap();
    spin_call *call = ask_edges_again(self, TEXTS("a"), "run");
    host_await(call, opened);
    host_cancel(call);
    stop(self);
    spin_self *next = take_over(self);
    chip_deny(0, EACCES);
    start(next);
    stop(next);
    chip_deny(0, 0);
    chip_input(0, 0, 1);
    start(self);
    destroy(next);
    expect("the level is the old one", get(self, "c"), "c=1\n");
    expect("nobody has driven it", chip_driven(), "");
    call = ask_edges_again(self, TEXTS("a"), "run");
    expect("no edge is lost", host_await(call, "a rising\n"), "a rising\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

static void test_gone(void) {
    spin_self *self = make_to_swap();
    stop(self);
    chip_unplug(0);
    spin_self *next = take_over(self);
    start(next);
    destroy(self);
    chip_plug(0, "board");
    pass_until(next, "c");
    expect("it has its level again", get(next, "c"), "c=1\n");
    expect("the level is the last one", chip_driven(), "2=1\n3=0\n");
    end(next);
    chip_unplug(0);
}

static void test_strange_state(void) {
    spin_self *self = make_to_swap();
    stop(self);
    destroy(take_over(self));
    static const char strange[2000] = "gpio 0";
    spin_self *next = create();
    check("it refuses nothing", restore(next, "", 0) != SPIN_OK);
    check("it refuses what is too short", restore(next, saved_bytes, saved_size - 1) != SPIN_OK);
    check("it refuses another mark", restore(next, strange, sizeof strange) != SPIN_OK);
    // Any numbers in place of those of descriptors.
    for (size_t at = 0; at < saved_size; at += 4) {
        static char changed[sizeof saved_bytes];
        memcpy(changed, saved_bytes, saved_size);
        memset(changed + at, 1, 4);
        spin_self *other = create();
        restore(other, changed, saved_size);
        destroy(other);
    }
    destroy(next);
    destroy(self);
    check("the lines are free", !chip_is_held(0, 2));
    chip_driven();
    chip_unplug(0);
}

void test_swaps(void) {
    test_outputs_stay();
    test_edges_stay();
    test_left(0);
    test_left(EACCES);
    test_refused();
    test_denied();
    test_gone();
    test_strange_state();
}
