// Which entries are in work, and how many may be, with a peer.
#include "peer.h"
#include "stream_peer.h"
#include "../world.h"
#include "../../plugin-host/log.h"

// Entries of another time are acknowledged, too.
static void test_others(int listener) {
    spin_self *self = make_for(listener);
    spin_call *one = call_acknowledge(self, "s", "7-1", NULL),
              *two = call_acknowledge(self, "s", "8-1", NULL);
    int commands = peer_greet(listener);
    peer_hear(commands, "XACK s group 7-1");
    peer_hear(commands, "XACK s group 8-1");
    peer_say(commands, ":1\r\n-NOPERM no\r\n");
    expect("it is done", host_ended(one), "");
    expect("it is refused", host_ended(two), "-128 NOPERM no");
    static const char *const ids[] = {"", "1", "1-", "-1", "1-1-1", "1-a", "18446744073709551616-0", " 1-1"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        expect("it is an id", host_ended(call_acknowledge(self, "s", ids[i], NULL)),
               i == 0 ? "-5 the stream, the group, the consumer and the id must not be empty"
                      : "-5 an id is `TIME-NUMBER`, such as `1700000000000-0`");
    end_with(self, commands);
}

// An instance with two entries in work, which are as many as there may be.
static spin_self *make_full(int listener, spin_call **call, int *reader) {
    config.most_in_work = 2;
    spin_self *self = make_for(listener);
    *call = call_read(self, "s", "me", 0, NULL);
    *reader = peer_greet(listener);
    peer_hear(*reader, "XREADGROUP GROUP group me COUNT 2 STREAMS s 0-0");
    peer_say(*reader, ENTRIES("2", ENTRY("1-1"), ENTRY("2-1")));
    host_await(*call, "2-1 f=v again\n");
    settle(self);
    return self;
}

// No more entries are read than may be in work. An acknowledgement makes room.
static void test_limit(int listener) {
    spin_call *call;
    int reader;
    spin_self *self = make_full(listener, &call, &reader);
    check("it waits", peer_is_idle(reader));
    spin_call *one = call_acknowledge(self, "s", "1-1", NULL);
    int commands = peer_greet(listener);
    peer_hear(commands, "XACK s group 1-1");
    peer_say(commands, ":1\r\n");
    expect("it is done", host_ended(one), "");
    peer_hear(reader, "XREADGROUP GROUP group me COUNT 1 STREAMS s 2-1");
    host_cancel(call);
    end_with(self, reader);
    peer_end(commands);
}

// When nobody acknowledges for long, the log says so once.
static void test_full(int listener) {
    static const char line[] = "`read` waits until fewer entries are in work (setting `most_in_work`)";
    spin_call *call;
    int reader;
    spin_self *self = make_full(listener, &call, &reader);
    check("a moment is nothing to say", log_count(line) == 0);
    for (int i = 0; i < 2; i++) {
        pass(self, config.keep_alive);
        peer_hear(reader, "PING");
        peer_say(reader, "+PONG\r\n");
        settle(self);
        check("the log says it once", log_count(line) == 1);
    }
    host_cancel(call);
    end_with(self, reader);
}

// An entry of which the manifest makes no event is neither in work nor acknowledged. It comes again.
static void test_without_event(int listener, int acknowledges) {
    config.most_in_work = 2;
    spin_self *self = make_for(listener);
    spin_call *call = host_call("run");
    host_set_faults(call, 3);
    read_with(self, call, "s", "me", acknowledges);
    int reader = peer_greet(listener);
    peer_hear(reader, "XREADGROUP GROUP group me COUNT 2 STREAMS s 0-0");
    peer_say(reader, ENTRIES("0", ""));
    peer_hear(reader, NEW("2"));
    peer_say(reader, ENTRIES("2", ENTRY("1-1"), ENTRY("2-1")));
    peer_hear(reader, NEW("2"));
    check("nothing is acknowledged", peer_is_alone(listener));
    peer_close(reader);
    settle(self);
    pass(self, config.reconnect_most);
    reader = peer_greet(listener);
    peer_hear(reader, "XREADGROUP GROUP group me COUNT 2 STREAMS s 0-0");
    peer_say(reader, ENTRIES("2", ENTRY("1-1"), ENTRY("2-1")));
    expect("the other one comes at last", host_await(call, "again\n"), "2-1 f=v again\n");
    if (acknowledges) {
        int commands = peer_greet(listener);
        peer_hear(commands, "XACK s group 2-1");
        peer_say(commands, ":1\r\n");
        settle(self);
        peer_close(commands);
    }
    host_cancel(call);
    end_with(self, reader);
}

void test_in_work(int listener, int port) {
    reset_config(port);
    test_others(listener);
    test_limit(listener);
    test_full(listener);
    test_without_event(listener, 0);
    test_without_event(listener, 1);
}
