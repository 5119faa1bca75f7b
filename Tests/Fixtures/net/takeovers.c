// Versions that are refused or taken back, and calls that get nothing of the one before.
#include "world.h"
#include <string.h>
#include <unistd.h>

// A new version that does not start leaves all to the old one.
static void test_refused(void) {
    reset_config();
    spin_self *self = make();
    int peer;
    spin_call *call = serve_one(self, &peer);
    host_cancel(call);
    stop(self);
    spin_self *next = take_over(self);
    destroy(next);
    start(self);
    call = call_listen(self, "tcp:127.0.0.1:0", "lines", "listen");
    say(peer, "one\n", 4);
    expect("the old one continues", host_await(call, "one\n"), "frame 0 one = one\n");
    host_cancel(call);
    stop(self);
    destroy(self);
    hear_end(peer);
}

// The host takes a version back that has ended what it took over.
static void test_taken_back(void) {
    reset_config();
    spin_self *self = make();
    int peer;
    spin_call *call = serve_one(self, &peer);
    host_cancel(call);
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    call = call_listen(next, "tcp:127.0.0.1:0", "lines", "listen");
    settle(next);
    host_cancel(call);
    pass(next, SECOND);
    hear_end(peer);
    stop(next);
    start(self);
    call = host_call("listen");
    host_set_room(call, 0);
    listen_with(self, call, "tcp:127.0.0.1:0", "lines");
    host_await_room(call);
    settle(self);
    check("the plugin waits", is_quiet(self));
    host_set_room(call, -1);
    settle(self);
    check("it listens", strstr(host_await(call, ""), "listening\n") != NULL);
    peer = dial();
    host_await(call, "opened 1\n");
    destroy(next);
    say(peer, "one\n", 4);
    host_await(call, "frame 1 one = one\n");
    host_cancel(call);
    stop(self);
    destroy(self);
    hear_end(peer);
}

// Another call with the same address gets nothing of the one before.
static void test_other_call(void) {
    reset_config();
    char address[64];
    int other = offer(address);
    close(other);
    spin_self *self = make();
    forget_connections();
    spin_call *call = call_listen(self, address, "lines", NULL);
    host_await(call, "listening\n");
    int peer = dial();
    host_await(call, "opened 0\n");
    host_cancel(call);
    settle(self);
    call = call_listen(self, address, "lines", NULL);
    hear_end(peer);
    host_await(call, "listening\n");
    peer = dial();
    expect("it has a connection of its own", host_await(call, "opened 1\n"), "listening\nopened 1\n");
    close(peer);
    host_cancel(call);
    stop(self);
    destroy(self);
}

// The next call of a run finds the ends of its own framing, also in what has come before.
static void test_other_framing(void) {
    reset_config();
    spin_self *self = make();
    spin_call *call = call_listen(self, "tcp:127.0.0.1:0", "lines", "listen");
    forget_connections();
    host_await(call, "listening\n");
    int peer = dial();
    say(peer, "one\ntwo;", 8);
    expect("a line comes", host_await(call, "one\n"), "listening\nopened 0\nframe 0 one = one\n");
    host_cancel(call);
    settle(self);
    call = call_listen(self, "tcp:127.0.0.1:0", "delimiter:3B", "listen");
    settle(self);
    say(peer, "six;", 4);
    expect("each frame comes", host_await(call, "six\n"), "frame 0 two\nframe 0 six\n");
    close(peer);
    end(self, call);
}

// A frame that is too long does not reach into the next framing.
static void test_framing_after_long_frame(void) {
    static const struct {
        const char *before, *said, *first, *after, *next, *heard;
        size_t said_size;
    } cases[] = {
        {"prefix:u16", "\1\0a", "bytes (setting `longest`)\n", "lines", "one\n", "frame 0 one = one\n", 3},
        {"lines", "0123456789ABCDEF012345678\1", NULL, "prefix:u8", "a\1b",
         "damaged 25: the framing has changed before its end\nframe 0 a\nframe 0 b\n", 26},
        {"lines", "0123456789ABCDEF0123456789", NULL, "lines", "a\n",
         "damaged 27: it is longer than 8 bytes (setting `longest`)\n", 26},
        {"delimiter:0A", "0123456789ABCDEF0123456789", NULL, "delimiter:0B",
         "\x0B"
         "a\x0B",
         "damaged 25: the framing has changed before its end\nframe 0 9\nframe 0 a\n", 26},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset_config();
        config.longest = 8;
        spin_self *self = make();
        spin_call *call = call_listen(self, "tcp:127.0.0.1:0", cases[i].before, "listen");
        forget_connections();
        host_await(call, "listening\n");
        int peer = dial();
        host_await(call, "opened 0\n");
        say(peer, cases[i].said, cases[i].said_size);
        if (cases[i].first)
            host_await(call, cases[i].first);
        settle(self);
        host_cancel(call);
        settle(self);
        call = call_listen(self, "tcp:127.0.0.1:0", cases[i].after, "listen");
        say(peer, cases[i].next, strlen(cases[i].next));
        expect("the next frame is whole", host_await(call, cases[i].heard), cases[i].heard);
        close(peer);
        end(self, call);
    }
}

void test_takeovers(void) {
    test_refused();
    test_taken_back();
    test_other_call();
    test_other_framing();
    test_framing_after_long_frame();
}
