// Acknowledgements that fail, or are lost, with a peer.
#include "peer.h"
#include "stream_peer.h"
#include "../world.h"
#include <string.h>
#include <unistd.h>

/* A call that has taken the entry 1-1, and its peer. */
static spin_call *begin(spin_self *self, int listener, int acknowledges, int *reader) {
    spin_call *call = call_read(self, "s", "me", acknowledges, NULL);
    *reader = greet_reader(listener);
    peer_hear(*reader, NEW("100"));
    peer_say(*reader, ENTRIES("1", ENTRY("1-1")));
    peer_hear(*reader, NEW("99"));
    expect("it has come", host_await(call, "v\n"), "1-1 f=v\n");
    return call;
}

static void finish(spin_self *self, spin_call *call, int reader, int commands) {
    expect("it has come once", host_await(call, "v\n"), "1-1 f=v\n");
    host_cancel(call);
    end_with(self, reader);
    peer_end(commands);
}

// The plugin tries again, and waits meanwhile. The entry stays in work.
static void test_own(int listener) {
    spin_self *self = make_for(listener);
    int reader, commands;
    spin_call *call = begin(self, listener, 1, &reader);
    commands = peer_greet(listener);
    for (int i = 0; i < 3; i++) {
        peer_hear(commands, "XACK s group 1-1");
        peer_say(commands, "-MISCONF no disk\r\n");
        settle(self);
        check("it waits", peer_is_idle(commands));
        pass(self, config.reconnect_most);
    }
    peer_hear(commands, "XACK s group 1-1");
    close(reader); // The server then gives it once more.
    settle(self);
    pass(self, config.reconnect_most);
    reader = peer_greet(listener);
    peer_hear(reader, "XREADGROUP GROUP group me COUNT 99 STREAMS s 0-0");
    peer_say(reader, ENTRIES("1", ENTRY("1-1")));
    peer_hear(reader, "XREADGROUP GROUP group me COUNT 99 STREAMS s 1-1");
    peer_say(commands, ":1\r\n");
    finish(self, call, reader, commands);
}

// It may never succeed.
static void test_own_failure(int listener) {
    spin_self *self = make_for(listener);
    int reader, commands;
    spin_call *call = begin(self, listener, 1, &reader);
    commands = peer_greet(listener);
    peer_hear(commands, "XACK s group 1-1");
    peer_say(commands, "-WRONGTYPE a text\r\n");
    expect("the call fails", host_ended(call), "1-1 f=v\n-128 WRONGTYPE a text");
    end_with(self, reader);
    peer_end(commands);
}

// The app hears of the failure, and may try again.
static void test_app(int listener) {
    static const char *const answers[][2] = {{"-MISCONF no disk\r\n", "-128 MISCONF no disk"},
                                             {"-WRONGTYPE a text\r\n", "-128 WRONGTYPE a text"},
                                             {"+OK\r\n", "-128 the server does not answer as Redis does"}};
    spin_self *self = make_for(listener);
    int reader, commands = -1;
    spin_call *call = begin(self, listener, 0, &reader);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        spin_call *one = call_acknowledge(self, "s", "1-1", NULL),
                  *two = call_acknowledge(self, "s", "1-1", NULL);
        if (i == 0)
            commands = peer_greet(listener);
        pass(self, config.reconnect_most);
        peer_hear(commands, "XACK s group 1-1");
        peer_say(commands, answers[i][0]);
        expect("it fails", host_ended(one), answers[i][1]);
        expect("so does the other one", host_ended(two), answers[i][1]);
        settle(self);
    }
    spin_call *again = call_acknowledge(self, "s", "1-1", NULL);
    pass(self, config.reconnect_most);
    peer_hear(commands, "XACK s group 1-1");
    peer_say(commands, ":1\r\n");
    expect("at last it is done", host_ended(again), "");
    finish(self, call, reader, commands);
}

// An acknowledgement does no harm twice, so it is sent again.
static void test_lost(int listener) {
    static const char *const answers[] = {"", "-READONLY replica\r\n", "-LOADING data\r\n"};
    spin_self *self = make_for(listener);
    int reader, commands;
    spin_call *call = begin(self, listener, 0, &reader);
    spin_call *waits = call_acknowledge(self, "s", "1-1", NULL),
              *left = call_acknowledge(self, "s", "1-1", NULL);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        commands = peer_greet(listener);
        peer_hear(commands, "XACK s group 1-1");
        peer_say(commands, answers[i]);
        if (i == 0)
            close(commands);
        else
            peer_end(commands);
        settle(self);
        check("it waits", peer_is_alone(listener));
        pass(self, config.reconnect_most);
    }
    host_cancel(left);
    settle(self);
    commands = peer_greet(listener);
    peer_hear(commands, "XACK s group 1-1");
    peer_say(commands, ":0\r\n");
    expect("the call has waited", host_ended(waits), "");
    finish(self, call, reader, commands);
}

// The server has given the entry once more before it was acknowledged.
static void test_crossing(int listener) {
    spin_self *self = make_for(listener);
    int reader;
    spin_call *call = begin(self, listener, 0, &reader);
    close(reader);
    settle(self);
    pass(self, config.reconnect_most);
    reader = peer_greet(listener);
    peer_hear(reader, "XREADGROUP GROUP group me COUNT 99 STREAMS s 0-0");
    spin_call *done = call_acknowledge(self, "s", "1-1", NULL);
    int commands = peer_greet(listener);
    peer_hear(commands, "XACK s group 1-1");
    peer_say(commands, ":1\r\n");
    expect("it is done", host_ended(done), "");
    settle(self);
    peer_say(reader, ENTRIES("1", ENTRY("1-1")));
    peer_hear(reader, PENDING("1-1"));
    finish(self, call, reader, commands);
}

// The group was deleted, and the server gives the entry as a new one before it has answered.
static void test_new_group(int listener) {
    spin_self *self = make_for(listener);
    int reader;
    spin_call *call = begin(self, listener, 0, &reader);
    spin_call *sent = call_acknowledge(self, "s", "1-1", NULL);
    int commands = peer_greet(listener);
    peer_hear(commands, "XACK s group 1-1");
    peer_say(reader, "-NOGROUP gone\r\n");
    peer_hear(reader, "XGROUP CREATE s group 0 MKSTREAM");
    peer_say(reader, "+OK\r\n");
    peer_hear(reader, NEW("99"));
    peer_say(reader, ENTRIES("1", ENTRY("1-1")));
    peer_hear(reader, NEW("99"));
    expect("it comes once more", host_await(call, "v\n1-1 f=v\n"), "1-1 f=v\n1-1 f=v\n");
    expect("the first time is done", host_ended(sent), "");
    peer_say(commands, ":0\r\n");
    spin_call *again = call_acknowledge(self, "s", "1-1", NULL);
    peer_hear(commands, "XACK s group 1-1");
    peer_say(commands, ":1\r\n");
    expect("so is the second time", host_ended(again), "");
    host_cancel(call);
    end_with(self, reader);
    peer_end(commands);
}

void test_acknowledgements(int listener, int port) {
    reset_config(port);
    test_own(listener);
    test_own_failure(listener);
    test_app(listener);
    test_lost(listener);
    test_crossing(listener);
    test_new_group(listener);
}
