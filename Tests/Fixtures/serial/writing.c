// Writes: their order, an other side that does not read, cancellations and limits.
#include "driver.h"
#include "world.h"
#include <string.h>
#include <sys/uio.h>

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

/* Reads until the text comes, after nothing but `a`; how many there were. */
static size_t hear_until(const char *text) {
    size_t count = 0, matched = 0, size = strlen(text);
    while (matched < size) {
        char byte;
        check("the other side hears", readv(peer, &(struct iovec){&byte, 1}, 1) == 1);
        if (byte == text[matched]) {
            matched++;
        } else {
            check("it hears the first call", byte == 'a' && matched == 0);
            count++;
        }
    }
    return count;
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

void test_writing(void) {
    plug();
    test_order();
    test_other_side_that_does_not_read();
    plug();
    test_swap();
    test_end();
    unplug();
}
