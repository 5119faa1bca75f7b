// Peers that connect, end and break off.
#include "world.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Answers are possible after the peer has ended its side.
static void test_half_closed(void) {
    reset_config();
    spin_self *self = make();
    spin_call *call = serve(self, "lines");
    int peer = dial();
    say(peer, "one\ntwo", 7);
    shutdown(peer, SHUT_WR);
    const char *before =
        "listening\nopened 0\nframe 0 one = one\ndamaged 3: the connection was closed before its end\n";
    expect("it hears the end", host_await(call, "end\n"), before);
    pass(self, config.answer_timeout - 1);
    expect("it answers", host_ended(call_send(self, connection(0), "yes", 3, NULL)), "");
    hear(peer, "yes\n", 4);
    pass(self, config.answer_timeout);
    hear_end(peer);
    expect("it is closed", host_await(call, "closed it\n") + strlen(before),
           "closed 0: the peer has closed it\n");
    expect("nothing can be sent", host_ended(call_send(self, connection(0), "a", 1, NULL)),
           "-128 no such connection is open");
    expect("nor to another name", host_ended(call_send(self, "0123-1", "a", 1, NULL)),
           "-128 no such connection is open");
    end(self, call);
}

// A peer that waits for answers, and leaves then.
static void test_half_closed_and_gone(void) {
    reset_config();
    spin_self *self = make();
    spin_call *call = serve(self, "lines");
    int peer = dial();
    say(peer, "one", 3);
    shutdown(peer, SHUT_WR);
    host_await(call, "end\n");
    settle(self);
    reset(peer);
    expect("it does not wait", host_await(call, "closed it\n"),
           "listening\nopened 0\ndamaged 3: the connection was closed before its end\n"
           "closed 0: the peer has closed it\n");
    end(self, call);
}

static void test_reset(void) {
    reset_config();
    spin_self *self = make();
    spin_call *call = serve(self, "lines");
    int peer = dial();
    say(peer, "one\n", 4);
    host_await(call, "one\n");
    reset(peer);
    expect("it hears of it", host_await(call, "peer\n"),
           "listening\nopened 0\nframe 0 one = one\nclosed 0: Connection reset by peer\n");
    end(self, call);
}

static void test_most_connections(void) {
    reset_config();
    config.most_connections = 2;
    spin_self *self = make();
    spin_call *call = serve(self, "lines");
    int first = dial(), second = dial();
    host_await(call, "opened 1\n");
    int third = dial();
    say(third, "three\n", 6);
    say(second, "two\n", 4);
    host_await(call, "two\n");
    reset(first);
    expect("the third one waits for the end of the first one", host_await(call, "three\n"),
           "listening\nopened 0\nopened 1\nframe 1 two = two\nclosed 0: Connection reset by peer\nopened 2\n"
           "frame 2 three = three\n");
    close(second);
    close(third);
    end(self, call);
}

static void test_many(void) {
    enum { count = 60 };
    reset_config();
    spin_self *self = make();
    spin_call *call = serve(self, "lines"), *sent[count];
    int peers[count];
    char last[32];
    for (int i = 0; i < count; i++) {
        peers[i] = dial();
        snprintf(last, sizeof last, "opened %d\n", i);
        host_await(call, last);
    }
    for (int i = 0; i < count; i++)
        sent[i] = call_send(self, connection(i), connection(i), strlen(connection(i)), NULL);
    for (int i = 0; i < count; i++) {
        expect("each one is sent", host_ended(sent[i]), "");
        hear(peers[i], connection(i), strlen(connection(i)));
    }
    // The middle ones go first.
    for (int i = count / 4; i < count; i++)
        reset(peers[i]);
    for (int i = 0; i < count / 4; i++) {
        expect("the others stay", host_ended(call_send(self, connection(i), "a", 1, NULL)), "");
        hear(peers[i], "\na\n", 3);
        close(peers[i]);
    }
    end(self, call);
}

void test_listening(void) {
    test_half_closed();
    test_half_closed_and_gone();
    test_reset();
    test_most_connections();
    test_many();
}
