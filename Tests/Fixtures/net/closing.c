// Swaps amid the end of connections.
#include "faults.h"
#include "world.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char bytes[16 << 20];

// The peer of a connection over which a part of the bytes was sent.
static spin_self *begin(spin_call **call, spin_call **sent, int *peer) {
    reset_config();
    config.most_unsent = sizeof bytes + 1;
    memset(bytes, 'a', sizeof bytes);
    spin_self *self = make();
    *call = serve_one(self, peer);
    *sent = call_send(self, connection(0), bytes, sizeof bytes, "send");
    struct pollfd found = {.fd = *peer, .events = POLLIN};
    check("a part is sent", poll(&found, 1, -1) == 1);
    return self;
}

static spin_self *swap(spin_self *self) {
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    destroy(self);
    return next;
}

// A connection that the app closes while a frame goes: the frame and the end come.
static void test_close(void) {
    int peer;
    spin_call *call, *sent;
    spin_self *self = begin(&call, &sent, &peer);
    expect("it closes", host_ended(call_close(self, connection(0))), "");
    host_cancel(sent);
    host_cancel(call);
    self = swap(self);
    call = call_listen(self, "tcp:127.0.0.1:0", "lines", "listen");
    sent = call_send(self, connection(0), bytes, sizeof bytes, "send");
    hear(peer, bytes, sizeof bytes);
    hear(peer, "\n", 1);
    expect("it is sent", host_ended(sent), "");
    hear_end(peer);
    host_await(call, "closed 0: the app has closed it\n");
    end(self, call);
}

// The same for the end of its call, whose connections wait for nobody but the peer.
static void test_ended_call(void) {
    int peer;
    spin_call *call, *sent;
    spin_self *self = begin(&call, &sent, &peer);
    host_cancel(call);
    pass(self, SECOND);
    host_cancel(sent);
    self = swap(self);
    sent = call_send(self, connection(0), bytes, sizeof bytes, "send");
    hear(peer, bytes, sizeof bytes);
    hear(peer, "\n", 1);
    expect("it is sent", host_ended(sent), "");
    call = call_listen(self, "tcp:127.0.0.1:0", "lines", "listen");
    expect("the next call is another one", host_await(call, "listening\n"), "listening\n");
    hear_end(peer);
    end(self, call);
}

// The same for a call of `connect`, although the next call has its name.
static void test_ended_connect(void) {
    char address[160];
    reset_config();
    config.most_unsent = sizeof bytes + 2;
    memset(bytes, 'a', sizeof bytes);
    local_address(address);
    int listener = offer_local("socket");
    spin_self *self = make();
    spin_call *call = call_connect(self, address, "delimiter:0D0A", "connect");
    int peer = answer(listener);
    host_await(call, "connected\n");
    spin_call *sent = call_send(self, address, bytes, sizeof bytes, "send");
    struct pollfd found = {.fd = peer, .events = POLLIN};
    check("a part is sent", poll(&found, 1, -1) == 1);
    host_cancel(call);
    pass(self, SECOND);
    host_cancel(sent);
    self = swap(self);
    call = call_connect(self, address, "lines", "another");
    host_await(call, "connected\n");
    int next = answer(listener);
    sent = call_send(self, address, bytes, sizeof bytes, "send");
    spin_call *other = call_send(self, address, "b", 1, "other");
    hear(peer, bytes, sizeof bytes);
    hear(peer, "\r\n", 2);
    expect("it is sent", host_ended(sent), "");
    hear_end(peer);
    hear(next, "b\n", 2);
    expect("another run sends over the next one", host_ended(other), "");
    close(next);
    end(self, call);
    close(listener);
    unlink("socket");
}

// A peer that never ends is given up by the next version, too.
static void test_no_end(void) {
    int peer;
    reset_config();
    spin_self *self = make();
    spin_call *call = serve_one(self, &peer);
    expect("it is sent", host_ended(call_send(self, connection(0), "a", 1, "send")), "");
    expect("it closes", host_ended(call_close(self, connection(0))), "");
    host_cancel(call);
    self = swap(self);
    call = call_listen(self, "tcp:127.0.0.1:0", "lines", "listen");
    expect("it was sent", host_ended(call_send(self, connection(0), "a", 1, "send")), "");
    hear(peer, "a\n", 2);
    for (int i = 0; i < 2; i++)
        pass(self, 10 * SECOND);
    expect("it is closed", host_await(call, "\n"), "closed 0: the app has closed it\n");
    hear_end(peer);
    end(self, call);
}

// Nothing of the frame was sent, and nobody sends it again: the peer hears the end at once.
static void test_nothing_sent(void) {
    int peer;
    reset_config();
    spin_self *self = make();
    spin_call *call = serve_one(self, &peer);
    fail_sends(1, ENOBUFS);
    spin_call *sent = call_send(self, connection(0), "a", 1, "send");
    expect("it closes", host_ended(call_close(self, connection(0))), "");
    halt(self); // So this version does not see that the call is over.
    host_cancel(sent);
    host_cancel(call);
    self = swap(self);
    hear_end(peer);
    call = call_listen(self, "tcp:127.0.0.1:0", "lines", "listen");
    expect("the loop hears of it", host_await(call, "\n"), "closed 0: the app has closed it\n");
    end(self, call);
}

// The host makes a call of `close` again that it has cancelled too late. It does not close the next connection.
static void test_close_again(void) {
    char address[160];
    reset_config();
    local_address(address);
    int listener = offer_local("socket");
    spin_self *self = make();
    spin_call *call = call_connect(self, address, "lines", "connect");
    int peer = answer(listener);
    host_await(call, "connected\n");
    expect("it closes", host_ended(close_as(self, address, "close")), "");
    hear_end(peer);
    host_await(call, "lost: the app has closed it\n");
    host_cancel(call);
    self = swap(self);
    call = call_connect(self, address, "lines", "connect");
    peer = answer(listener);
    host_await(call, "connected\n");
    expect("it has closed already", host_ended(close_as(self, address, "close")), "");
    expect("the next one is open", host_ended(call_send(self, address, "a", 1, NULL)), "");
    hear(peer, "a\n", 2);
    expect("another call closes it", host_ended(close_as(self, address, "another")), "");
    hear_end(peer);
    expect("the loop hears of it", host_await(call, "closed it\n"),
           "connected\nlost: the app has closed it\n");
    end(self, call);
    close(listener);
    unlink("socket");
}

void test_closing_swaps(void) {
    test_close();
    test_ended_call();
    test_ended_connect();
    test_no_end();
    test_nothing_sent();
    test_close_again();
}
