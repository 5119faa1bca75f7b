// What goes out: peers that read slowly, calls that are cancelled, and the end by the app.
#include "world.h"
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { large = 16 << 20 };
static char bytes[large];

static spin_self *begin(const char *framing, spin_call **call, int *peer) {
    reset_config();
    config.most_unsent = large + 100;
    spin_self *self = make();
    *call = serve(self, framing);
    *peer = dial();
    host_await(*call, "opened 0\n");
    memset(bytes, 'a', sizeof bytes);
    return self;
}

// Waits until something has come to the peer.
static void await_bytes(int peer) {
    struct pollfd found = {.fd = peer, .events = POLLIN};
    check("something comes", poll(&found, 1, -1) == 1);
}

static void test_slow_peer(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin("lines", &call, &peer);
    spin_call *first = call_send(self, connection(0), bytes, large, NULL);
    spin_call *second = call_send(self, connection(0), "next", 4, NULL);
    expect("there is a limit", host_ended(call_send(self, connection(0), bytes, large, NULL)),
           "-2 more bytes than the setting `most_unsent` allows would wait to be sent");
    hear(peer, bytes, large);
    hear(peer, "\nnext\n", 6);
    expect("all is sent", host_ended(first), "");
    expect("in order", host_ended(second), "");
    close(peer);
    end(self, call);
}

// A frame is never cut: without its rest, the connection ends.
static void test_cancelled(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin("lines", &call, &peer);
    spin_call *first = call_send(self, connection(0), bytes, large, "long");
    spin_call *second = call_send(self, connection(0), "second", 6, NULL);
    spin_call *third = call_send(self, connection(0), "third", 5, NULL);
    await_bytes(peer);
    host_cancel(second);
    host_cancel(first);
    settle(self);
    // The same run again sends the rest.
    first = call_send(self, connection(0), bytes, large, "long");
    hear(peer, bytes, large);
    hear(peer, "\nthird\n", 7);
    expect("it continues", host_ended(first), "");
    expect("the others are not touched", host_ended(third), "");
    first = call_send(self, connection(0), bytes, large, "other");
    await_bytes(peer);
    host_cancel(first);
    third = call_send(self, connection(0), "third", 5, "other"); // It is too short to be the same.
    pass(self, SECOND);
    expect("it is too late", host_await(call, "bytes\n"),
           "listening\nopened 0\nclosed 0: a call of `send` was cancelled amid its bytes\n");
    expect("what waits fails", host_ended(third),
           "-128 the connection is lost: a call of `send` was cancelled amid its bytes");
    close(peer);
    end(self, call);
}

static void test_close(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin("lines", &call, &peer);
    spin_call *sent = call_send(self, connection(0), bytes, large, NULL);
    expect("it ends at once", host_ended(call_close(self, connection(0))), "");
    expect("nothing follows", host_ended(call_send(self, connection(0), "a", 1, NULL)),
           "-128 the app has closed it");
    say(peer, "late\n", 5);
    hear(peer, bytes, large);
    expect("what waits is sent", host_ended(sent), "");
    hear(peer, "\n", 1);
    hear_end(peer);
    expect("it is closed", host_await(call, "closed it\n"),
           "listening\nopened 0\nclosed 0: the app has closed it\n");
    expect("a second time does nothing", host_ended(call_close(self, connection(0))), "");
    end(self, call);
}

// A peer that takes nothing does not keep a connection that the app closes, nor does one that never ends.
static void test_close_by_force(void) {
    for (int takes = 0; takes < 2; takes++) {
        int peer;
        spin_call *call, *sent = NULL;
        spin_self *self = begin("lines", &call, &peer);
        if (!takes)
            sent = call_send(self, connection(0), bytes, large, NULL);
        call_close(self, connection(0));
        settle(self);
        // The system takes a part now and then until its memory is full.
        while (!strstr(host_await(call, ""), "closed 0"))
            pass(self, 10 * SECOND);
        expect("it is closed", host_await(call, "closed it\n"),
               "listening\nopened 0\nclosed 0: the app has closed it\n");
        if (sent)
            expect("what waits fails", host_ended(sent),
                   "-128 the connection is lost: the app has closed it");
        close(peer);
        end(self, call);
    }
}

static void test_reset_while_sending(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin("raw", &call, &peer);
    spin_call *sent = call_send(self, connection(0), bytes, large, NULL);
    await_bytes(peer);
    reset(peer);
    const char *reason = host_ended(sent);
    check("it fails", strncmp(reason, "-128 the connection is lost: ", 29) == 0);
    host_await(call, "peer\n");
    end(self, call);
}

// The end of a call of `listen` ends its connections in order.
static void test_cancelled_listen(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin("raw", &call, &peer);
    spin_call *sent = call_send(self, connection(0), bytes, large, NULL);
    host_cancel(call);
    pass(self, SECOND);
    hear(peer, bytes, large);
    expect("what waits is sent", host_ended(sent), "");
    hear_end(peer);
    stop(self);
    destroy(self);
}

void test_sending(void) {
    test_slow_peer();
    test_cancelled();
    test_close();
    test_close_by_force();
    test_reset_while_sending();
    test_cancelled_listen();
}
