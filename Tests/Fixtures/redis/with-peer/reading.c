// How streams are read, with a peer.
#include "peer.h"
#include "stream_peer.h"
#include "../world.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A group that is gone again at once is not made without end.
static void test_group(int listener) {
    spin_self *self = make_for(listener);
    spin_call *call = call_read(self, "s", "me", 1, NULL);
    int peer = peer_greet(listener);
    peer_hear(peer, PENDING("0-0"));
    peer_say(peer, "-NOGROUP gone\r\n");
    for (int i = 0; i < 3; i++) {
        peer_hear(peer, "XGROUP CREATE s group 0 MKSTREAM");
        peer_say(peer, i == 1 ? "-BUSYGROUP there\r\n" : "+OK\r\n");
        peer_hear(peer, PENDING("0-0"));
        peer_say(peer, "-NOGROUP gone\r\n");
        settle(self);
        check("it waits", peer_is_idle(peer));
        pass(self, config.reconnect_most);
    }
    peer_hear(peer, "XGROUP CREATE s group 0 MKSTREAM");
    peer_say(peer, "-NOPERM no\r\n");
    expect("the group cannot be made", host_ended(call), "-128 NOPERM no");
    end_with(self, peer);
}

// Claims that do not go on.
static void test_claims_again(int listener) {
    config.claim_after = 60 * SECOND;
    spin_self *self = make_for(listener);
    spin_call *call = call_read(self, "s", "me", 1, NULL);
    static const char claim[] = "XAUTOCLAIM s group me 60000 0-0 COUNT 100";
    int peer = greet_reader(listener);
    peer_hear(peer, claim);
    peer_say(peer, "*3\r\n$3\r\n5-1\r\n*0\r\n*0\r\n");
    peer_hear(peer, "XAUTOCLAIM s group me 60000 5-1 COUNT 100");
    peer_say(peer, "*2\r\n$3\r\n5-1\r\n*0\r\n");
    peer_end(peer);
    settle(self);
    pass(self, config.reconnect_most);
    peer = greet_reader(listener);
    peer_hear(peer, claim);
    peer_say(peer, "*2\r\n$3\r\n0-0\r\n*1\r\n*-1\r\n");
    peer_hear(peer, NEW("100"));
    expect("nothing is emitted", host_await(call, ""), "");
    host_cancel(call);
    end_with(self, peer);
    config.claim_after = 0;
}

static void test_strange(int listener) {
    static const char *const all[] = {
        "+OK\r\n",
        "*0\r\n",
        "*1\r\n+s\r\n",
        "*1\r\n*1\r\n+s\r\n",
        "*1\r\n*2\r\n+s\r\n+s\r\n",
        ENTRIES("1", "*2\r\n$1\r\n1\r\n*0\r\n"),
        ENTRIES("1", "*2\r\n$3\r\n1-1\r\n*1\r\n+f\r\n"),
        ENTRIES("1", "*2\r\n$3\r\n1-1\r\n*2\r\n+f\r\n*0\r\n"),
        ENTRIES("1", "*2\r\n$3\r\n1-1\r\n:1\r\n"),
        ENTRIES("1", "*2\r\n*1\r\n+1-1\r\n*0\r\n"),
        ENTRIES("1", "*2\r\n$23\r\n1-18446744073709551616x\r\n*0\r\n"),
        ENTRIES("1", "+1-1\r\n"),
        "*1000\r\n*0\r\n:1\r\n:2\r\n+",
    };
    spin_self *self = make_for(listener);
    spin_call *call = call_read(self, "s", "me", 1, NULL);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int peer = greet_reader(listener);
        peer_hear(peer, NEW("100"));
        peer_say(peer, all[i]);
        if (i + 1 == sizeof all / sizeof *all)
            close(peer);
        else
            peer_end(peer);
        settle(self);
        check("it waits", peer_is_alone(listener));
        pass(self, config.reconnect_most);
    }
    expect("nothing is emitted", host_await(call, ""), "");
    host_cancel(call);
    end(self);
}

// Entries that have come stay while the connection is lost, and do not come twice.
static void test_held(int listener) {
    spin_self *self = make_for(listener);
    spin_call *call = host_call("run");
    host_set_room(call, 1);
    read_with(self, call, "s", "me", 0);
    int peer = greet_reader(listener);
    peer_hear(peer, NEW("100"));
    peer_say(peer, ENTRIES("3", ENTRY("1-1"), ENTRY("2-1"), ENTRY("3-1")));
    host_await_room(call);
    close(peer);
    pass(self, config.reconnect_most);
    peer = peer_greet(listener);
    settle(self);
    check("it reads nothing without room", peer_is_idle(peer));
    pass(self, config.keep_alive);
    peer_hear(peer, "PING");
    peer_say(peer, "-MISCONF no disk\r\n");
    host_set_room(call, -1);
    peer_hear(peer, "XREADGROUP GROUP group me COUNT 97 STREAMS s 0-0");
    peer_say(peer, ENTRIES("3", ENTRY("1-1"), ENTRY("2-1"), ENTRY("3-1")));
    peer_hear(peer, "XREADGROUP GROUP group me COUNT 97 STREAMS s 3-1");
    peer_say(peer, ENTRIES("0", ""));
    peer_hear(peer, NEW("97"));
    expect("each comes once", host_await(call, "3-1 f=v\n"), "1-1 f=v\n2-1 f=v\n3-1 f=v\n");
    host_cancel(call);
    end_with(self, peer);
}

// The server is asked again when its time is over, and must not be silent for longer.
static void test_silence(int listener) {
    spin_self *self = make_for(listener);
    spin_call *call = call_read(self, "s", "me", 1, NULL);
    int peer = greet_reader(listener);
    peer_hear(peer, NEW("100"));
    pass(self, config.answer_timeout + 9 * SECOND);
    peer_say(peer, "*-1\r\n");
    peer_hear(peer, NEW("100"));
    pass(self, config.answer_timeout + 10 * SECOND);
    peer_end(peer);
    pass(self, config.reconnect_most);
    peer = greet_reader(listener);
    peer_hear(peer, NEW("100"));
    host_cancel(call);
    peer_end(peer);
    end(self);
}

// Entries that are too large for one answer come in smaller ones.
static void test_large(int listener) {
    static const char *const counts[] = {"100", "50", "50", "25", "12", "6", "3", "1"};
    config.largest_answer = 1024;
    spin_self *self = make_for(listener);
    spin_call *call = call_read(self, "s", "me", 0, NULL);
    int peer;
    for (size_t i = 0;; i++) {
        char words[128];
        snprintf(words, sizeof words, "XREADGROUP GROUP group me COUNT %s STREAMS s 0-0", counts[i]);
        peer = peer_greet(listener);
        peer_hear(peer, words);
        if (strcmp(counts[i], "1") == 0)
            break;
        if (i == 1) { // A connection that is lost for another reason.
            close(peer);
        } else {
            peer_say(peer, ENTRIES("3", ENTRY("1-1"), ENTRY("2-1"), ENTRY("3-1")));
            peer_end(peer);
        }
        settle(self);
        pass(self, config.reconnect_most);
    }
    peer_say(peer, ENTRIES("1", ENTRY("1-1")));
    peer_hear(peer, "XREADGROUP GROUP group me COUNT 1 STREAMS s 1-1");
    expect("it comes", host_await(call, "again\n"), "1-1 f=v again\n");
    host_cancel(call);
    end_with(self, peer);
    config.largest_answer = 1 << 20;
}

void test_reading(int listener, int port) {
    reset_config(port);
    test_group(listener);
    test_strange(listener);
    test_held(listener);
    test_large(listener);
    test_silence(listener);
    test_claims_again(listener);
}
