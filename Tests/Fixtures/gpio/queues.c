// The queue of the kernel: loops without room, edges that it has dropped, and those that it passes on too late.
#include "world.h"
#include <string.h>

static const char opened[] = "opened gpiochip0\n";

// Whether a text occurs so often.
static const char *count(const char *text, const char *part, size_t expected) {
    size_t found = 0;
    for (; (text = strstr(text, part)); text++)
        found++;
    return found == expected ? "all" : "not all";
}

// A loop without room: the plugin reads nothing, and other calls continue.
static void test_room(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    spin_call *full = ask_edges(self, TEXTS("a"), 1), *other = ask_edges(self, TEXTS("b", "d"), -1);
    host_await(full, opened);
    host_await(other, opened);
    chip_input(0, 0, 1);
    host_await_room(full);
    for (int i = 0; i < 100; i++) {
        chip_input(0, 0, i % 2);
        chip_input(0, 1, (i + 1) % 2);
    }
    chip_skip(0, 0, 7);
    chip_input(0, 0, 0);
    chip_input(0, 3, 1);
    expect("other calls continue", count(host_await(other, "d rising\n"), "b ", 100), "all");
    host_set_room(full, -1);
    expect("no edge is lost but those of the kernel",
           count(host_await(full, "lost 7\na falling\n"), "a ", 102), "all");
    host_cancel(full);
    host_cancel(other);
    end(self);
    chip_unplug(0);
}

static void test_lost(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("a", "b"), -1);
    host_await(call, opened);
    chip_skip(0, 0, 3); // before the first one
    chip_input(0, 0, 1);
    host_await(call, "a rising\n");
    chip_skip(0, 0, 1000);
    chip_input(0, 1, 1);
    expect("it says how many", host_await(call, "b rising\n"),
           "opened gpiochip0\nlost 3\na rising\nlost 1000\nb rising\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

// Edges of two lines, the first of which the kernel queues last.
static void change_late(uint32_t first, uint32_t last) {
    chip_skip(0, first, 1);
    chip_input(0, last, 1);
    chip_skip(0, first, (uint32_t)-2);
    chip_input(0, first, 1);
    chip_skip(0, first, 1);
}

static void test_late(void) {
    chip_plug(0, "board");
    reset_config();
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("a", "b", "c", "d"), 1);
    host_await(call, opened);
    chip_input(0, 0, 1);
    host_await_room(call);
    change_late(1, 2);
    chip_input(0, 3, 1);
    host_set_room(call, -1);
    expect("edges come in order", host_await(call, "d rising\n"),
           "opened gpiochip0\na rising\nb rising\nc rising\nd rising\n");
    // One that comes when the later one was emitted.
    chip_skip(0, 0, 1);
    chip_input(0, 0, 0);
    host_await(call, "a falling\n");
    chip_skip(0, 0, (uint32_t)-2);
    chip_input(0, 1, 0);
    chip_skip(0, 0, 1);
    chip_input(0, 2, 0);
    expect("it counts as lost once", host_await(call, "c falling\n"),
           "opened gpiochip0\na rising\nb rising\nc rising\nd rising\nlost 1\na falling\nb falling\nc "
           "falling\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

// A line that is in use, and then not, while the loop has no room.
static void test_reason(void) {
    chip_plug(0, "board");
    chip_occupy(0, 1, "other");
    reset_config();
    spin_self *self = make();
    spin_call *call = ask_edges(self, TEXTS("b"), 0);
    host_await_room(call);
    chip_occupy(0, 1, NULL);
    pass_until(self, "b");
    host_set_room(call, -1);
    expect("it says why", host_await(call, opened),
           "closed the line `b` is in use by `other`: end that program, or share the plugin among loops by "
           "`instance = \"app\"`\nopened gpiochip0\n");
    host_set_room(call, 0);
    chip_input(0, 1, 1);
    host_await_room(call);
    chip_unplug(0);
    expect("the chip has gone", get(self, "b"), "-1 `gpiochip0` has gone: it was disconnected");
    chip_plug(0, "board");
    pass_until(self, "7");
    host_set_room(call, -1);
    chip_input(0, 1, 1);
    expect(
        "it says why again", strstr(host_await(call, "b rising\n"), opened),
        "opened gpiochip0\nclosed `gpiochip0` has gone: it was disconnected\nopened gpiochip0\nb rising\n");
    host_cancel(call);
    end(self);
    chip_unplug(0);
}

void test_queues(void) {
    test_room();
    test_lost();
    test_late();
    test_reason();
}
