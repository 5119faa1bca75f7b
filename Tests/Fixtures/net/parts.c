// What a version hands over of frames that have not ended, and of what the loop does not know yet.
#include "world.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static spin_call *listen_again(spin_self **self, spin_call *call, const char *address, const char *framing) {
    host_cancel(call);
    stop(*self);
    spin_self *next = take_over(*self);
    start(next);
    destroy(*self);
    *self = next;
    return call_listen(next, address, framing, "listen");
}

// The beginning of a frame that is too long comes before the swap, the rest after it.
static void test_long_frames(void) {
    static const struct {
        const char *framing, *before, *first, *after, *heard;
        size_t before_size;
    } cases[] = {
        {"lines", "0123456789ABCDEF0123456789", "opened 0\n", "0\na\n",
         "damaged 27: it is longer than 8 bytes (setting `longest`)\nframe 0 a = a\n", 26},
        {"prefix:u8",
         "\x0D"
         "012",
         "bytes (setting `longest`)\n", "3456789ABC\1a", "frame 0 a\n", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset_config();
        config.longest = 8;
        spin_self *self = make();
        spin_call *call = call_listen(self, "tcp:127.0.0.1:0", cases[i].framing, "listen");
        forget_connections();
        host_await(call, "listening\n");
        int peer = dial();
        host_await(call, "opened 0\n");
        say(peer, cases[i].before, cases[i].before_size);
        host_await(call, cases[i].first);
        settle(self);
        call = listen_again(&self, call, "tcp:127.0.0.1:0", cases[i].framing);
        say(peer, cases[i].after, strlen(cases[i].after));
        expect("the next frame is whole", host_await(call, cases[i].heard), cases[i].heard);
        close(peer);
        end(self, call);
    }
}

// The loop did not hear before the swap that a frame was cut by another framing.
static void test_cut_frame(void) {
    int peer;
    reset_config();
    config.longest = 8;
    spin_self *self = make();
    spin_call *call = serve_one(self, &peer);
    say(peer, "0123456789ABCDEF0123456789", 26);
    settle(self);
    host_cancel(call);
    settle(self);
    call = host_call("listen");
    host_set_room(call, 0);
    listen_with(self, call, "tcp:127.0.0.1:0", "delimiter:3B");
    host_await_room(call);
    call = listen_again(&self, call, "tcp:127.0.0.1:0", "delimiter:3B");
    say(peer, ";a;", 3);
    expect("it hears of it", host_await(call, "a\n"),
           "damaged 25: the framing has changed before its end\nframe 0 9\nframe 0 a\n");
    close(peer);
    end(self, call);
}

static void test_untold_listening(void) {
    char address[160];
    reset_config();
    local_address(address);
    spin_self *self = make();
    spin_call *call = host_call("listen");
    host_set_room(call, 0);
    listen_with(self, call, address, "lines");
    host_await_room(call);
    call = listen_again(&self, call, address, "lines");
    expect("it hears of it", host_await(call, "\n"), "listening\n");
    end(self, call);
}

static void test_takes_no_more(void) {
    char address[160];
    reset_config();
    local_address(address);
    spin_self *self = make();
    spin_call *call = call_listen(self, address, "lines", "listen");
    forget_connections();
    host_await(call, "listening\n");
    int peer = dial();
    host_await(call, "opened 0\n");
    shutdown(peer, SHUT_RD);
    expect("it is not sent", host_ended(call_send(self, connection(0), "a", 1, NULL)),
           "-128 the connection is lost: Broken pipe");
    call = listen_again(&self, call, address, "lines");
    expect("nor is the next one", host_ended(call_send(self, connection(0), "a", 1, NULL)),
           "-128 the peer takes no more");
    close(peer);
    end(self, call);
}

void test_parts(void) {
    test_long_frames();
    test_cut_frame();
    test_untold_listening();
    test_takes_no_more();
}
