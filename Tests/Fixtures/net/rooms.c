// Peers of a loop that has no room.
#include "world.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// What a peer has sent before it leaves is not lost, also when the loop has no room.
static void test_room(void) {
    reset_config();
    spin_self *self = make();
    spin_call *call = serve(self, "lines");
    host_set_room(call, 1);
    int peer = dial();
    host_await(call, "opened 0\n");
    say(peer, "one\ntwo\nthree", 13);
    host_await_room(call);
    close(peer);
    settle(self);
    for (int i = 0; i < 2; i++) {
        host_set_room(call, 1);
        host_await_room(call);
    }
    host_set_room(call, -1);
    host_await(call, "before its end\n");
    pass(self, config.answer_timeout);
    expect("all has come", host_await(call, "closed it\n"),
           "listening\nopened 0\nframe 0 one = one\nframe 0 two = two\n"
           "damaged 5: the connection was closed before its end\nclosed 0: the peer has closed it\n");
    end(self, call);
}

// A peer that says something when there is room again does not make the plugin forget what waits of another one.
static void test_room_of_two(void) {
    static char bytes[1 << 20];
    reset_config();
    spin_self *self = make();
    spin_call *call = serve(self, "raw");
    int first = dial(), second = dial();
    host_await(call, "opened 1\n");
    host_set_room(call, 0);
    say(first, "a", 1);
    host_await_room(call);
    // While the plugin sends this, both the bytes and the room come.
    spin_call *sent = call_send(self, connection(0), bytes, sizeof bytes, NULL);
    say(second, "b", 1);
    host_set_room(call, -1);
    hear(first, bytes, sizeof bytes);
    expect("it is sent", host_ended(sent), "");
    while (!strstr(host_await(call, ""), "frame 1 b\n"))
        settle(self);
    settle(self);
    check("it is not forgotten", strstr(host_await(call, ""), "frame 0 a\n") != NULL);
    close(first);
    close(second);
    end(self, call);
}

// Peers that dial while the loop has no room do not keep the plugin busy, and come later.
static void test_dialling(void) {
    int peers[2];
    spin_call *call;
    reset_config();
    spin_self *self = serve_local(&call, &peers[0]); // The socket knows at once that a peer dials.
    host_set_room(call, 0);
    say(peers[0], "one\n", 4);
    host_await_room(call);
    peers[1] = dial();
    settle(self);
    check("the plugin waits", is_quiet(self));
    host_set_room(call, -1);
    expect("all come", host_await(call, "opened 1\n"), "listening\nopened 0\nframe 0 one = one\nopened 1\n");
    for (int i = 0; i < 2; i++)
        close(peers[i]);
    end(self, call);
}

void test_rooms(void) {
    test_room();
    test_room_of_two();
    test_dialling();
}
