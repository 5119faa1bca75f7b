// The setting for connections over which nothing goes.
#include "world.h"
#include <string.h>
#include <unistd.h>

enum { large = 1 << 20, part = 40000 };
static char bytes[large];

static void test_idle(void) {
    reset_config();
    config.idle_timeout = 10 * SECOND;
    spin_self *self = make();
    spin_call *call = serve(self, "lines");
    int peer = dial();
    host_await(call, "opened 0\n");
    pass(self, 6 * SECOND);
    say(peer, "a\n", 2);
    host_await(call, "a\n");
    pass(self, 4 * SECOND);
    expect("it is open", host_ended(call_send(self, connection(0), "b", 1, NULL)), "");
    // While the loop has no room, the peer is not the one that is idle.
    host_set_room(call, 0);
    say(peer, "c\n", 2);
    host_await_room(call);
    pass(self, 20 * SECOND);
    host_set_room(call, -1);
    host_await(call, "c = c\n");
    expect("it is open", host_ended(call_send(self, connection(0), "d", 1, NULL)), "");
    hear(peer, "b\nd\n", 4);
    // At the first look, the acknowledgement of the bytes may be under way.
    for (int i = 0; i < 2; i++)
        pass(self, 10 * SECOND);
    hear_end(peer);
    expect("it was idle", host_await(call, "timeout`\n"),
           "listening\nopened 0\nframe 0 a = a\nframe 0 c = c\nclosed 0: nothing has come or gone for the "
           "time of the setting "
           "`idle_timeout`\n");
    end(self, call);
}

// A peer that reads slowly what a call of `send` sends.
static void test_slow_peer(void) {
    int peer;
    spin_call *call;
    reset_config();
    config.idle_timeout = 10 * SECOND;
    config.most_unsent = large + 1;
    spin_self *self = serve_local(&call, &peer);
    spin_call *sent = call_send(self, connection(0), bytes, large, NULL);
    settle(self);
    for (int i = 0; i < 3; i++) {
        pass(self, 9 * SECOND);
        hear(peer, bytes, part);
    }
    check("it is open", !strstr(host_await(call, ""), "closed"));
    for (int i = 0; i < 2; i++)
        pass(self, 10 * SECOND);
    host_await(call, "timeout`\n");
    check("what waits fails", strncmp(host_ended(sent), "-128 the connection is lost: ", 29) == 0);
    close(peer);
    end(self, call);
}

// The same when the call has ended, as the system has all bytes.
static void test_behind_call(void) {
    int peer;
    spin_call *call;
    reset_config();
    config.idle_timeout = 10 * SECOND;
    spin_self *self = serve_local(&call, &peer);
    expect("the system has all", host_ended(call_send(self, connection(0), bytes, 3 * part, NULL)), "");
    for (int i = 0; i < 3; i++) {
        pass(self, 10 * SECOND);
        check("it is open", !strstr(host_await(call, ""), "closed"));
        hear(peer, bytes, part);
    }
    hear(peer, "\n", 1);
    pass(self, 10 * SECOND);
    host_await(call, "timeout`\n");
    hear_end(peer);
    end(self, call);
}

void test_idle_connections(void) {
    test_idle();
    test_slow_peer();
    test_behind_call();
}
