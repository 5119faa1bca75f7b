// Loops without room.
#include "peer.h"
#include "../world.h"
#include <string.h>
#include <unistd.h>

/* Three commands, the first one of which has no room, and their peer. */
static spin_self *begin(int listener, spin_call *calls[3], int *peer) {
    spin_self *self = make_for(listener);
    calls[0] = host_call("run");
    host_set_room(calls[0], 0);
    command_with(self, calls[0], "GET a");
    calls[1] = call_command(self, "GET b", NULL);
    calls[2] = call_command(self, "GET c", NULL);
    *peer = peer_greet(listener);
    peer_hear(*peer, "GET a");
    peer_hear(*peer, "GET b");
    peer_hear(*peer, "GET c");
    peer_say(*peer, ":1\r\n:2\r\n:3\r\n");
    host_await_room(calls[0]);
    settle(self);
    expect("the second one waits, too", host_await(calls[1], ""), "");
    return self;
}

// The answers stay in their order.
static void test_order(int listener) {
    spin_call *calls[3];
    int peer;
    spin_self *self = begin(listener, calls, &peer);
    host_set_room(calls[0], 1);
    expect("the first one", host_ended(calls[0]), "1\n");
    expect("the second one", host_ended(calls[1]), "2\n");
    expect("the third one", host_ended(calls[2]), "3\n");
    end_with(self, peer);
}

// A call that is over does not hold up others.
static void test_cancelled(int listener) {
    spin_call *calls[3];
    int peer;
    spin_self *self = begin(listener, calls, &peer);
    host_cancel(calls[0]);
    expect("the second one", host_ended(calls[1]), "2\n");
    expect("the third one", host_ended(calls[2]), "3\n");
    end_with(self, peer);
}

// The server is away when there is room. The loop gets all answers that have come.
static void test_hang_up(int listener) {
    void (*const ways[])(int) = {peer_close, peer_reset};
    for (size_t i = 0; i < 2; i++) {
        spin_call *calls[3];
        int peer;
        spin_self *self = begin(listener, calls, &peer);
        spin_call *late = call_command(self, "GET d", NULL);
        peer_hear(peer, "GET d");
        peer_say(peer, ":4\r\n");
        ways[i](peer);
        settle(self);
        host_set_room(calls[0], 1);
        expect("the first one", host_ended(calls[0]), "1\n");
        expect("the second one", host_ended(calls[1]), "2\n");
        expect("the third one", host_ended(calls[2]), "3\n");
        expect("the last one", host_ended(late), "4\n");
        end(self);
    }
}

static void test_stop(int listener) {
    spin_call *calls[3];
    int peer;
    spin_self *self = begin(listener, calls, &peer);
    for (int i = 0; i < 3; i++)
        host_cancel(calls[i]);
    end_with(self, peer);
}

void test_room(int listener, int port) {
    reset_config(port);
    test_order(listener);
    test_cancelled(listener);
    test_hang_up(listener);
    test_stop(listener);
}
