// Writes: their order, an other side that does not read, cancellations and limits.
#include "system.h"
#include "world.h"
#include <string.h>

enum { large = 1 << 20 };
static char bytes[large];

static void test_order(void) {
    config.most_unsent = large + 64;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 >> 3);
    spin_self *self = make();
    spin_call *calls[] = {call_write(self, "first", 5), call_write(self, "", 0),
                          call_write(self, bytes, sizeof bytes), call_write(self, "last", 4)};
    hear("first", 5);
    hear(bytes, sizeof bytes);
    hear("last", 4);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        expect("a write ends", host_ended(calls[i]), "");
    stop(self);
    destroy(self);
}

static void test_other_side_that_does_not_read(void) {
    memset(bytes, 'a', sizeof bytes);
    config.most_unsent = large + 8;
    spin_self *self = make();
    spin_call *first = call_write(self, bytes, sizeof bytes), *second = call_write(self, "bbbb", 4),
              *third = call_write(self, "cccc", 4);
    expect("one more is too much", host_ended(call_write(self, "", 0)),
           "-2 more bytes than the setting `most_unsent` allows would wait to be written");
    host_cancel(third);
    host_cancel(first);
    spin_call *last = call_write(self, "dddd", 4);
    check("only a part of the first one was sent", hear_until("bbbbdddd") < sizeof bytes);
    expect("the second one ends", host_ended(second), "");
    expect("so does the last one", host_ended(last), "");
    // A device that goes.
    first = call_write(self, bytes, sizeof bytes);
    second = call_write(self, "b", 1);
    unplug();
    expect("it fails", host_ended(first), "-1 the port is closed: `port` has gone: it was disconnected");
    expect("so does the next one", host_ended(second),
           "-1 the port is closed: `port` has gone: it was disconnected");
    stop(self);
    destroy(self);
}

// The end of an instance with calls that wait.
static void test_end(void) {
    spin_self *self = make();
    spin_call *first = call_write(self, bytes, sizeof bytes), *second = call_write(self, "b", 1);
    stop(self);
    host_cancel(second);
    host_cancel(first);
    destroy(self);
}

// In a swap, the host makes the call again. The bytes that were sent are not sent twice.
static void test_swap(void) {
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 >> 3);
    spin_self *self = make();
    spin_call *written = call_write_again(self, bytes, sizeof bytes, "long"),
              *second = call_write_again(self, "last", 4, "short");
    hear(bytes, 1);
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    host_cancel(written);
    host_cancel(second);
    destroy(self);
    written = call_write_again(next, bytes, sizeof bytes, "long");
    second = call_write_again(next, "last", 4, "short");
    hear(bytes + 1, sizeof bytes - 1);
    hear("last", 4);
    expect("the write ends", host_ended(written), "");
    expect("so does the other one", host_ended(second), "");
    stop(next);
    destroy(next);
}

/* Two calls that a swap cancels while the first one writes. */
static struct {
    spin_self *self;
    const char *data;
    size_t size;
    spin_call *first, *second;
} cut;

static void make_calls(void) {
    cut.first = call_write_again(cut.self, cut.data, cut.size, "first");
    cut.second = call_write_again(cut.self, "second", 6, "second");
}

// As the host does: the newest call first.
static void cancel_calls(void) {
    host_cancel(cut.second);
    host_cancel(cut.first);
}

static void begin_calls(void) {
    system_after_write(cancel_calls);
    make_calls();
}

// The host cancels a call that has written all or a part before the plugin knows it.
static void test_swap_within_a_write(const char *data, size_t size) {
    config.most_unsent = large + 64;
    cut.self = make();
    cut.data = data;
    cut.size = size;
    system_after_write(begin_calls);
    expect("a call is before them", host_ended(call_write(cut.self, "x", 1)), "");
    hear("x", 1);
    hear(data, 1);
    stop(cut.self);
    spin_self *before = cut.self;
    cut.self = take_over(before);
    start(cut.self);
    destroy(before);
    make_calls();
    spin_call *last = call_write(cut.self, "last", 4);
    hear(data + 1, size - 1);
    hear("secondlast", 10);
    expect("the first one ends", host_ended(cut.first), "");
    expect("the second one ends", host_ended(cut.second), "");
    expect("so does the last one", host_ended(last), "");
    stop(cut.self);
    destroy(cut.self);
}

// A call that was cut off and is made again continues, unless something else has gone to the device meanwhile.
static void test_retry(void) {
    memset(bytes, 'a', sizeof bytes);
    spin_self *self = make();
    spin_call *cut_off = call_write_again(self, bytes, sizeof bytes, "retried");
    hear(bytes, 1);
    host_cancel(cut_off);
    spin_call *again = call_write_again(self, bytes, sizeof bytes, "retried");
    spin_call *other = call_write(self, "bbbb", 4);
    check("it continues", hear_until("bbbb") == sizeof bytes - 1);
    expect("it ends", host_ended(again), "");
    expect("the other one ends", host_ended(other), "");
    cut_off = call_write_again(self, bytes, sizeof bytes, "repeated");
    hear(bytes, 1);
    host_cancel(cut_off);
    other = call_write(self, "bbbb", 4);
    check("only a part was sent", hear_until("bbbb") < sizeof bytes - 1);
    expect("another one comes between", host_ended(other), "");
    again = call_write_again(self, bytes, sizeof bytes, "repeated");
    other = call_write(self, "bbbb", 4);
    check("it begins once more", hear_until("bbbb") == sizeof bytes);
    expect("it ends, too", host_ended(again), "");
    expect("the last one ends", host_ended(other), "");
    stop(self);
    destroy(self);
}

void test_writing(void) {
    plug();
    test_order();
    test_other_side_that_does_not_read();
    plug();
    test_swap();
    test_swap_within_a_write(bytes, sizeof bytes);
    test_swap_within_a_write(bytes, 1000);
    test_retry();
    test_end();
    unplug();
}
