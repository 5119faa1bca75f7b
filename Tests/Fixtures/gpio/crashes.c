// The next version fails without an end: the old one has its lines all the same.
#include "world.h"
#include <string.h>

static const char opened[] = "opened gpiochip0\n";

static void test_lines(void) {
    spin_self *self = make_to_swap();
    spin_call *call = ask_edges_again(self, TEXTS("a"), "run");
    host_await(call, opened);
    host_cancel(call);
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    call = ask_edges_again(next, TEXTS("a"), "run");
    spin_call *other = ask_edges_again(next, TEXTS("b"), "another run");
    host_await(other, opened);
    set(next, "c", false);
    chip_input(0, 0, 1);
    host_await(call, "a rising\n");
    chip_driven();
    start(self);
    expect("the level is the present one", get(self, "c"), "c=0\n");
    expect("nobody has driven them", chip_driven(), "");
    spin_call *again = ask_edges_again(self, TEXTS("a"), "run");
    host_cancel(call);
    chip_input(0, 0, 0);
    expect("it says that edges came meanwhile", host_await(again, "a falling\n"), "lost 1\na falling\n");
    host_cancel(again);
    host_cancel(other);
    other = ask_edges_again(self, TEXTS("b"), "another run");
    chip_input(0, 1, 1);
    expect("it has what the next one has taken", host_await(other, "b rising\n"),
           "opened gpiochip0\nb rising\n");
    host_cancel(other);
    stop(self);
    stop(next);
    destroy(next);
    destroy(self);
    check("they are free at the end", !chip_is_held(0, 2) && !chip_is_held(0, 0));
    chip_unplug(0);
}

// Edges that the old version has read: the new one emits them, and the old one does not.
static void test_edges_once(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    spin_call *call = ask_edges_again(self, TEXTS("a"), "run");
    host_await(call, opened);
    host_set_room(call, 0);
    chip_input(0, 0, 1);
    host_await_room(call);
    chip_input(0, 0, 0);
    host_cancel(call);
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    call = ask_edges_again(next, TEXTS("a"), "run");
    expect("they come", host_await(call, "a falling\n"), "a rising\na falling\n");
    start(self);
    spin_call *again = ask_edges_again(self, TEXTS("a"), "run");
    host_cancel(call);
    chip_input(0, 0, 1);
    expect("they are counted", host_await(again, "a rising\n"), "lost 2\na rising\n");
    host_cancel(again);
    stop(self);
    stop(next);
    destroy(next);
    destroy(self);
    chip_unplug(0);
}

void test_crashes(void) {
    test_lines();
    test_edges_once();
}
