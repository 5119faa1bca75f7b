// Connections that are lost, and calls that are cancelled.
#include "peer.h"
#include "../world.h"
#include "../../plugin-host/log.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CLOSED "the server has closed the connection"

// The server may have done what was sent. It is not sent again.
static void test_lost(int listener) {
    spin_self *self = make_for(listener);
    spin_call *one = call_command(self, "INCR a", NULL), *two = call_command(self, "INCR b", NULL);
    int peer = peer_greet(listener);
    peer_hear(peer, "INCR a");
    peer_hear(peer, "INCR b");
    peer_say(peer, ":1\r\n");
    host_ended(one);
    close(peer);
    expect("the first one has its answer", host_ended(one), "1\n");
    expect("the second one is unsure", host_ended(two),
           "-130 the connection was lost before the answer, and the server may have done it: " CLOSED);
    expect("a later one is not sent", host_ended(call_command(self, "INCR c", NULL)),
           "-129 there is no connection: " CLOSED);
    pass(self, config.reconnect_most);
    peer = peer_greet(listener);
    spin_call *next = call_command(self, "INCR d", NULL);
    peer_hear(peer, "INCR d");
    peer_say(peer, ":5\r\n");
    expect("the next connection has the next one", host_ended(next), "5\n");
    end_with(self, peer);
}

// A cancelled command that was not sent is never sent. The answer of one that was is dropped.
static void test_cancelled(int listener) {
    spin_self *self = make_for(listener);
    spin_call *one = call_command(self, "INCR a", NULL);
    int peer = peer_take(listener);
    peer_hear(peer, "PING");
    host_cancel(one);
    settle(self);
    spin_call *two = call_command(self, "INCR b", NULL), *three = call_command(self, "INCR c", NULL);
    settle(self);
    peer_say(peer, "+PONG\r\n");
    peer_hear(peer, "INCR b");
    peer_hear(peer, "INCR c");
    host_cancel(two);
    settle(self);
    peer_say(peer, ":2\r\n:3\r\n");
    expect("the answer is that of its own", host_ended(three), "3\n");
    expect("a cancelled one emits nothing", host_ended(two), "");
    end_with(self, peer);
}

// Nobody answers, at each stage of a connection.
static void test_stages(int listener) {
    spin_self *self = make_for(listener);
    spin_call *call = call_command(self, "INCR a", NULL);
    int peer = peer_take(listener);
    peer_hear(peer, "PING");
    pass(self, config.connect_timeout);
    expect("there is not an answer", host_ended(call),
           "-129 there is no connection: the server does not answer (setting `connect_timeout`)");
    peer_end(peer);
    pass(self, config.reconnect_most);
    peer = peer_take(listener);
    call = call_command(self, "INCR a", NULL);
    close(peer);
    const char *reason = host_ended(call);
    check("a reset is a loss",
          strcmp(reason, "-129 there is no connection: " CLOSED) == 0 ||
              strcmp(reason, "-129 there is no connection: Connection reset by peer") == 0);
    end(self);
    int port, other = peer_listen(&port);
    close(other);
    reset_config(port);
    self = make();
    expect("nobody listens", host_ended(call_command(self, "INCR a", NULL)),
           "-129 there is no connection: cannot connect: Connection refused");
    char fields[160];
    snprintf(fields, sizeof fields,
             "server=127.0.0.1:%d for=commands reason=cannot connect: Connection refused", port);
    expect("the log names the server", log_fields("not connected to the server"), fields);
    end(self);
}

static void test_limit(int listener) {
    static const char too_many[] = "-2 3 commands wait already (setting `most_waiting`)";
    config.most_waiting = 3;
    spin_self *self = make_for(listener);
    spin_call *calls[] = {call_command(self, "INCR a", NULL), call_command(self, "INCR b", NULL),
                          call_command(self, "INCR c", NULL)};
    expect("a fourth one does not wait", host_ended(call_command(self, "INCR d", NULL)), too_many);
    int peer = peer_greet(listener);
    peer_hear(peer, "INCR a");
    peer_hear(peer, "INCR b");
    peer_hear(peer, "INCR c");
    host_cancel(calls[0]);
    expect("one that was sent waits for its answer", host_ended(call_command(self, "INCR d", NULL)),
           too_many);
    peer_say(peer, ":1\r\n:2\r\n");
    expect("the second one has its answer", host_ended(calls[1]), "2\n");
    settle(self);
    spin_call *next = call_command(self, "INCR d", NULL);
    peer_hear(peer, "INCR d");
    peer_say(peer, ":3\r\n:4\r\n");
    expect("now there is room", host_ended(next), "4\n");
    end_with(self, peer);
}

enum { large = 1000000, many = 30 };

/* An instance that sends more than the system takes, to a peer that does not read. */
static spin_self *send_much(int listener, spin_call *calls[many], int *peer) {
    static char words[large + 8] = "ECHO ";
    memset(words + 5, 'x', large);
    spin_self *self = make_for(listener);
    for (int i = 0; i < many; i++)
        calls[i] = call_command(self, words, NULL);
    *peer = peer_greet(listener);
    settle(self);
    return self;
}

// A command of which a part was sent is sent whole, also if its call is over. The others are not sent.
static void test_partly_sent(int listener) {
    spin_call *calls[many];
    int peer, heard = 0;
    spin_self *self = send_much(listener, calls, &peer);
    for (int i = 0; i < many; i++)
        host_cancel(calls[i]);
    settle(self);
    spin_call *last = call_command(self, "GET a", NULL);
    while (strcmp(peer_next(peer), "GET a") != 0)
        heard++;
    check("some were sent, and others not", heard > 0 && heard < many);
    for (int i = 0; i < heard; i++)
        peer_say(peer, "$1\r\nx\r\n");
    peer_say(peer, "$1\r\na\r\n");
    expect("the answer is that of its own", host_ended(last), "`a`\n");
    end_with(self, peer);
}

static void test_slow_peer(int listener) {
    spin_call *calls[many];
    int peer;
    spin_self *self = send_much(listener, calls, &peer);
    pass(self, config.answer_timeout);
    expect("the first one was sent", host_ended(calls[0]),
           "-130 the connection was lost before the answer, and the server may have done it: the server is "
           "silent "
           "(setting `answer_timeout`)");
    expect("the last one was not", host_ended(calls[many - 1]),
           "-129 there is no connection: the server is silent (setting `answer_timeout`)");
    end_with(self, peer);
}

// A subscription hears of losses, and comes back.
static void test_subscription(int listener) {
    static const char begun[] = "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n";
    spin_self *self = make_for(listener);
    spin_call *call = call_subscribe(self, "a", "");
    for (int i = 0; i < 2; i++) {
        int peer = peer_greet(listener);
        peer_hear(peer, "SUBSCRIBE a");
        peer_say(peer, begun);
        peer_say(peer, "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n");
        close(peer);
        host_await(call, "connection\n");
        settle(self);
        check("it waits", peer_is_alone(listener));
        pass(self, config.reconnect_most);
    }
    expect("each loss is emitted", host_await(call, "connection\n"),
           "subscribed\na: x\nlost: " CLOSED "\nsubscribed\na: x\nlost: " CLOSED "\n");
    host_cancel(call);
    end(self);
}

void test_losses(int listener, int port) {
    reset_config(port);
    test_lost(listener);
    test_cancelled(listener);
    test_partly_sent(listener);
    test_slow_peer(listener);
    test_subscription(listener);
    test_limit(listener);
    reset_config(port);
    test_stages(listener);
    reset_config(port);
}
