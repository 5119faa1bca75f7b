// When a stream asks again, with a peer.
#include "peer.h"
#include "stream_peer.h"
#include "../world.h"
#include <unistd.h>

// A failure that passes is not asked for without end.
static void test_passing(int listener) {
    static const char *const answers[] = {"-MISCONF no disk\r\n", "-OOM full\r\n", "-UNBLOCKED gone\r\n",
                                          "-BUSY a script\r\n"};
    spin_self *self = make_for(listener);
    spin_call *call = call_read(self, "s", "me", 1, NULL);
    int peer = greet_reader(listener);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        peer_hear(peer, NEW("100"));
        peer_say(peer, answers[i]);
        settle(self);
        check("it waits", peer_is_idle(peer));
        pass(self, config.reconnect_most);
    }
    peer_hear(peer, NEW("100"));
    peer_say(peer, "-READONLY replica\r\n");
    peer_end(peer);
    settle(self);
    pass(self, config.reconnect_most);
    peer = greet_reader(listener);
    peer_hear(peer, NEW("100"));
    peer_say(peer, ENTRIES("2", ENTRY("1-1"), ENTRY("2-1")));
    expect("it reads on", host_await(call, "2-1 f=v\n"), "1-1 f=v\n2-1 f=v\n");
    host_cancel(call);
    end_with(self, peer);
}

// It asks again after its wait, also if it has looked at its times meanwhile.
static void test_long_wait(int listener) {
    config.reconnect_least = config.reconnect_most = 100 * SECOND;
    config.keep_alive = 1000 * SECOND;
    spin_self *self = make_for(listener);
    spin_call *call = call_read(self, "s", "me", 1, NULL);
    int peer = greet_reader(listener);
    peer_hear(peer, NEW("100"));
    peer_say(peer, "-MISCONF no disk\r\n");
    settle(self);
    pass(self, config.answer_timeout + 10 * SECOND); // The answer would have been due.
    check("it waits", peer_is_idle(peer));
    pass(self, config.reconnect_most);
    peer_hear(peer, NEW("100"));
    host_cancel(call);
    end_with(self, peer);
    config.reconnect_least = config.reconnect_most = SECOND;
    config.keep_alive = 60 * SECOND;
}

// A server that does not wait, or says the same without end, is not asked without end.
static void test_hasty(int listener) {
    static const char *const empty[] = {"*-1\r\n", ENTRIES("0", "")};
    spin_self *self = make_for(listener);
    spin_call *call = call_read(self, "s", "me", 0, NULL);
    int peer = greet_reader(listener);
    for (size_t i = 0; i < 2; i++) {
        peer_hear(peer, NEW("100"));
        peer_say(peer, empty[i]);
        settle(self);
        check("it waits", peer_is_idle(peer));
        pass(self, config.reconnect_most);
    }
    peer_hear(peer, NEW("100"));
    close(peer);
    settle(self);
    pass(self, config.reconnect_most);
    peer = peer_greet(listener);
    peer_hear(peer, PENDING("0-0"));
    peer_say(peer, ENTRIES("1", ENTRY("1-1")));
    peer_hear(peer, "XREADGROUP GROUP group me COUNT 99 STREAMS s 1-1");
    peer_say(peer, ENTRIES("1", ENTRY("1-1")));
    peer_end(peer);
    settle(self);
    check("it waits before it connects", peer_is_alone(listener));
    expect("it comes once", host_await(call, "again\n"), "1-1 f=v again\n");
    host_cancel(call);
    end(self);
}

void test_retries(int listener, int port) {
    reset_config(port);
    test_passing(listener);
    test_long_wait(listener);
    test_hasty(listener);
}
