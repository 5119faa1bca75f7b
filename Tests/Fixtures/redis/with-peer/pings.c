// Connections that are idle, and servers that are silent.
#include "peer.h"
#include "../world.h"
#include <string.h>
#include <unistd.h>

/* An instance whose command has had an answer, and its peer. */
static spin_self *begin(int listener, int *peer) {
    spin_self *self = make_for(listener);
    spin_call *call = call_command(self, "INCR a", NULL);
    *peer = peer_greet(listener);
    peer_hear(*peer, "INCR a");
    peer_say(*peer, ":1\r\n");
    expect("the command is done", host_ended(call), "1\n");
    return self;
}

// Whatever the answer to PING is, the next one belongs to the next command.
static void test_errors(int listener) {
    static const char *const answers[] = {"+PONG\r\n", "-MISCONF no disk\r\n", "-BUSY a script\r\n",
                                          "-ERR odd\r\n"};
    int peer;
    spin_self *self = begin(listener, &peer);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        pass(self, config.keep_alive);
        peer_hear(peer, "PING");
        spin_call *call = call_command(self, "GET b", NULL);
        peer_hear(peer, "GET b");
        peer_say(peer, answers[i]);
        peer_say(peer, "$1\r\nb\r\n");
        expect("it gets its own answer", host_ended(call), "`b`\n");
    }
    end_with(self, peer);
}

static void test_lost_right(int listener) {
    static const char *const answers[][2] = {
        {"-LOADING data\r\n", "-129 there is no connection: the server is loading its data"},
        {"-MASTERDOWN gone\r\n",
         "-129 there is no connection: the server is a replica without a link to its master"},
        {"-NOAUTH first\r\n", "-129 there is no connection: the server wants a password (settings `user` and "
                              "`password`)"}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        int peer;
        spin_self *self = begin(listener, &peer);
        pass(self, config.keep_alive);
        peer_hear(peer, "PING");
        peer_say(peer, answers[i][0]);
        peer_end(peer);
        settle(self);
        expect("the server cannot be used", host_ended(call_command(self, "GET a", NULL)), answers[i][1]);
        end(self);
    }
}

static void test_silence(int listener) {
    int peer;
    spin_self *self = begin(listener, &peer);
    spin_call *call = call_command(self, "INCR a", NULL);
    peer_hear(peer, "INCR a");
    pass(self, config.answer_timeout);
    expect("the server is silent", host_ended(call),
           "-130 the connection was lost before the answer, and the server may have done it: the server is "
           "silent "
           "(setting `answer_timeout`)");
    peer_end(peer);
    pass(self, config.reconnect_most);
    peer = peer_greet(listener);
    pass(self, config.keep_alive);
    peer_hear(peer, "PING");
    pass(self, config.answer_timeout);
    peer_end(peer);
    expect("also to a ping", host_ended(call_command(self, "GET a", NULL)),
           "-129 there is no connection: the server is silent (setting `answer_timeout`)");
    end(self);
}

// Also to the commands that have waited for the connection.
static void test_silence_from_begin(int listener) {
    config.connect_timeout = 2 * config.answer_timeout; // Its time must not help.
    spin_self *self = make_for(listener);
    spin_call *call = call_command(self, "INCR a", NULL);
    int peer = peer_greet(listener);
    peer_hear(peer, "INCR a");
    pass(self, config.answer_timeout);
    expect("the server is silent", host_ended(call),
           "-130 the connection was lost before the answer, and the server may have done it: the server is "
           "silent (setting `answer_timeout`)");
    end_with(self, peer);
    config.connect_timeout = 10 * SECOND;
}

// A server that takes requests and does not answer is silent, too.
static void test_silence_to_more(int listener) {
    static const char reason[] =
        "-130 the connection was lost before the answer, and the server may have done it: "
        "the server is silent (setting `answer_timeout`)";
    int peer;
    spin_self *self = begin(listener, &peer);
    spin_call *first = call_command(self, "INCR a", NULL);
    peer_hear(peer, "INCR a");
    pass(self, config.answer_timeout / 2);
    spin_call *next = call_command(self, "INCR b", NULL);
    peer_hear(peer, "INCR b");
    pass(self, config.answer_timeout / 2);
    expect("the first one has waited long enough", host_ended(first), reason);
    expect("the next one is lost, too", host_ended(next), reason);
    peer_end(peer);
    end(self);
}

// The plugin does not read while a loop has no room, so it hears nothing.
static void test_no_room(int listener) {
    int peer;
    spin_self *self = begin(listener, &peer);
    spin_call *call = host_call("run");
    host_set_room(call, 0);
    command_with(self, call, "GET a");
    spin_call *other = call_command(self, "GET b", NULL);
    peer_hear(peer, "GET a");
    peer_hear(peer, "GET b");
    peer_say(peer, "$1\r\na\r\n");
    host_await_room(call);
    pass(self, 10 * config.answer_timeout);
    pass(self, 10 * config.keep_alive);
    peer_say(peer, "$1\r\nb\r\n");
    host_set_room(call, 1);
    expect("its answer comes", host_ended(call), "`a`\n");
    expect("and the next one", host_ended(other), "`b`\n");
    end_with(self, peer);
}

static void test_messages_without_room(int listener) {
    spin_self *self = make_for(listener);
    spin_call *call = host_call("run");
    host_set_room(call, 1);
    subscribe_with(self, call, "a", "");
    int peer = peer_greet(listener);
    peer_hear(peer, "SUBSCRIBE a");
    peer_say(peer, "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n");
    host_await_room(call);
    pass(self, 10 * config.keep_alive);
    pass(self, 10 * config.answer_timeout);
    host_set_room(call, 1);
    expect("nothing is lost", host_await(call, "x\n"), "subscribed\na: x\n");
    pass(self, config.keep_alive);
    peer_hear(peer, "PING");
    peer_say(peer, "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
    host_set_room(call, 1);
    peer_say(peer, "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\ny\r\n");
    expect("it stays", host_await(call, "y\n"), "subscribed\na: x\na: y\n");
    host_cancel(call);
    peer_end(peer);
    end(self);
}

void test_pings(int listener, int port) {
    reset_config(port);
    test_errors(listener);
    test_lost_right(listener);
    test_silence(listener);
    test_silence_from_begin(listener);
    test_silence_to_more(listener);
    test_no_room(listener);
    test_messages_without_room(listener);
}
