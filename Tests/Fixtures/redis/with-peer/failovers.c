// Servers that cannot be used, and others that take their place.
#include "peer.h"
#include "../world.h"
#include <string.h>
#include <unistd.h>

static const char replica[] = "-129 there is no connection: the server is a replica, which takes no changes";

// The plugin waits for the answers to earlier commands. Then it leaves the server.
static void test_replica(int listener) {
    spin_self *self = make_for(listener);
    spin_call *one = call_command(self, "SET a 1", NULL), *two = call_command(self, "GET a", NULL);
    int peer = peer_greet(listener);
    peer_hear(peer, "SET a 1");
    peer_hear(peer, "GET a");
    peer_say(peer, "-READONLY You can't write against a read only replica.\r\n");
    expect("it fails", host_ended(one), "-128 READONLY You can't write against a read only replica.");
    expect("another one fails at once", host_ended(call_command(self, "SET b 1", NULL)), replica);
    peer_say(peer, "$1\r\n7\r\n");
    expect("an answer comes", host_ended(two), "`7` = 7\n");
    peer_end(peer);
    pass(self, config.reconnect_most);
    spin_call *again = call_command(self, "SET a 1", NULL);
    peer = peer_greet(listener);
    peer_hear(peer, "SET a 1");
    peer_say(peer, "+OK\r\n");
    expect("the next server takes it", host_ended(again), "`OK`\n");
    end_with(self, peer);
}

// The waits grow while servers refuse.
static void test_waits(int listener) {
    config.reconnect_most = 60 * SECOND;
    spin_self *self = make_for(listener);
    for (int i = 0; i < 4; i++) {
        spin_call *call = call_command(self, "SET a 1", NULL);
        int peer = peer_greet(listener);
        peer_hear(peer, "SET a 1");
        peer_say(peer, "-READONLY replica\r\n");
        host_ended(call);
        peer_end(peer);
        settle(self);
        if (i == 3)
            break;
        pass(self, (SECOND << i) / 2 - 1);
        check("it waits", peer_is_alone(listener));
        expect("commands fail meanwhile", host_ended(call_command(self, "GET a", NULL)), replica);
        pass(self, (SECOND << i) / 2 + 1);
    }
    end(self);
}

// A server that does not accept clients yet.
static void test_greetings(int listener) {
    static const char *const answers[][2] = {
        {"-LOADING data\r\n", "-129 there is no connection: the server is loading its data"},
        {"-DENIED Redis is running in protected mode\r\n",
         "-129 there is no connection: the server refuses the client: it is in protected mode"},
        {"-ERR max number of clients reached\r\n",
         "-129 there is no connection: the server refuses the client: it has too many of them"},
        {"+HELLO\r\n", "-129 there is no connection: the server does not answer as Redis does"},
        {"HTTP/1.1 400\r\n", "-129 there is no connection: the server has sent bytes that are not valid"}};
    spin_self *self = make_for(listener);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        spin_call *call = call_command(self, "GET a", NULL);
        int peer = peer_take(listener);
        peer_hear(peer, "PING");
        peer_say(peer, answers[i][0]);
        expect("it is not accepted", host_ended(call), answers[i][1]);
        peer_end(peer);
        pass(self, config.reconnect_most);
    }
    spin_call *call = call_command(self, "GET a", NULL);
    int peer = peer_take(listener);
    peer_hear(peer, "PING");
    peer_say(peer, "-MISCONF no disk\r\n");
    peer_hear(peer, "GET a");
    peer_say(peer, "$-1\r\n");
    expect("a server that cannot write may still read", host_ended(call), "null of 0\n");
    end_with(self, peer);
}

// No part of a password is in a reason, whatever the server says.
static void test_password(int listener) {
    static const char *const answers[] = {"-ERR AUTH horse called without any password\r\n", "-horse\r\n",
                                          "-ERR wrong horse\r\n", "+horse\r\n", "$5\r\nhorse\r\n"};
    set_text(&config.password, "horse");
    spin_self *self = make_for(listener);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        spin_call *call = call_command(self, "GET a", NULL);
        int peer = peer_take(listener);
        peer_hear(peer, "AUTH horse");
        peer_say(peer, answers[i]);
        const char *reason = host_ended(call);
        check("it fails", strncmp(reason, "-129 there is no connection: the server ", 40) == 0);
        check("it does not name the password", !strstr(reason, "hors"));
        peer_end(peer);
        pass(self, config.reconnect_most);
    }
    end(self);
}

void test_failovers(int listener, int port) {
    reset_config(port);
    test_replica(listener);
    test_greetings(listener);
    test_waits(listener);
    reset_config(port);
    test_password(listener);
}
