// What the next instance knows.
#include "peer.h"
#include "stream_peer.h"
#include "../world.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Ends an instance as the host does in a swap, and begins the next one. */
static spin_self *swap(spin_self *self, spin_call *const *calls, size_t count) {
    for (size_t i = 0; i < count; i++)
        host_cancel(calls[i]);
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    destroy(self);
    return next;
}

// The same run gets what is in work not again, and another one does.
static void test_entries(int listener) {
    static const char *const keys[] = {"reader", "another"};
    for (int i = 0; i < 2; i++) {
        spin_self *self = make_for(listener);
        spin_call *call = call_read(self, "s", "me", 0, "reader");
        int reader = greet_reader(listener);
        peer_hear(reader, NEW("100"));
        peer_say(reader, ENTRIES("2", ENTRY("1-1"), ENTRY("2-1")));
        peer_hear(reader, NEW("98"));
        host_await(call, "2-1 f=v\n");
        spin_call *waits = call_acknowledge(self, "s", "1-1", "ack");
        int commands = peer_greet(listener);
        peer_hear(commands, "XACK s group 1-1");
        self = swap(self, (spin_call *[]){call, waits}, 2);
        peer_end(reader);
        peer_end(commands);
        // The acknowledgement may be lost, so it is sent again.
        waits = call_acknowledge(self, "s", "1-1", "ack");
        commands = peer_greet(listener);
        peer_hear(commands, "XACK s group 1-1");
        peer_say(commands, ":1\r\n");
        expect("it is done", host_ended(waits), "");
        call = call_read(self, "s", "me", 0, keys[i]);
        reader = peer_greet(listener);
        peer_hear(reader, i == 0 ? "XREADGROUP GROUP group me COUNT 99 STREAMS s 0-0" : PENDING("0-0"));
        peer_say(reader, ENTRIES("1", ENTRY("2-1")));
        peer_hear(reader, "XREADGROUP GROUP group me COUNT 99 STREAMS s 2-1");
        peer_say(reader, ENTRIES("0", ""));
        peer_hear(reader, NEW("99"));
        peer_say(reader, ENTRIES("1", ENTRY("3-1")));
        expect("entries in work", host_await(call, "3-1 f=v\n"),
               i == 0 ? "3-1 f=v\n" : "2-1 f=v again\n3-1 f=v\n");
        host_cancel(call);
        end_with(self, reader);
        peer_end(commands);
    }
}

// An instance that has read one entry.
static spin_self *make_reader(int listener, spin_call **call, int *reader) {
    spin_self *self = make_for(listener);
    *call = call_read(self, "s", "me", 0, "reader");
    *reader = greet_reader(listener);
    peer_hear(*reader, NEW("100"));
    peer_say(*reader, ENTRIES("1", ENTRY("1-1")));
    host_await(*call, "1-1 f=v\n");
    return self;
}

// A call that does not come again leaves nothing behind.
static void test_left(int listener) {
    spin_call *call;
    int reader;
    spin_self *self = make_reader(listener, &call, &reader);
    self = swap(self, &call, 1);
    peer_end(reader);
    pass(self, 5 * SECOND);
    call = call_read(self, "s", "me", 0, "reader");
    reader = peer_greet(listener);
    peer_hear(reader, PENDING("0-0"));
    peer_say(reader, ENTRIES("1", ENTRY("1-1")));
    expect("it comes again", host_await(call, "again\n"), "1-1 f=v again\n");
    host_cancel(call);
    end_with(self, reader);
}

// A command that the server may have done is not sent by the next instance, nor by one that the host takes back.
static void test_commands(int listener) {
    static const char unsure[] =
        "-130 the version before a swap has sent the command, and the server may have done it";
    spin_self *self = make_for(listener);
    spin_call *calls[] = {call_command(self, "INCR a", "one"), call_command(self, "INCR b", "two"),
                          host_call("three")};
    host_set_room(calls[2], 0);
    command_with(self, calls[2], "INCR c");
    int peer = peer_greet(listener);
    peer_hear(peer, "INCR a");
    peer_hear(peer, "INCR b");
    peer_hear(peer, "INCR c");
    host_cancel(calls[0]);
    settle(self);
    peer_say(peer, ":1\r\n:2\r\n:3\r\n");
    host_await_room(calls[2]);
    spin_call *unsent = host_call("four");
    self = swap(self, calls, 3);
    peer_end(peer);
    expect("the first one was cancelled before its answer", host_ended(call_command(self, "INCR a", "one")),
           unsure);
    expect("the third one had no room", host_ended(call_command(self, "INCR c", "three")), unsure);
    command_with(self, unsent, "INCR d");
    peer = peer_greet(listener);
    peer_hear(peer, "INCR d");
    host_cancel(unsent);
    stop(self);
    peer_end(peer);
    start(self);
    expect("the same instance knows it", host_ended(call_command(self, "INCR d", "four")), unsure);
    spin_call *again = call_command(self, "INCR d", "four");
    peer = peer_greet(listener);
    peer_hear(peer, "INCR d");
    peer_say(peer, ":5\r\n");
    expect("a retry is sent", host_ended(again), "5\n");
    end_with(self, peer);
}

// Calls that do not come again are forgotten at last, the oldest ones first.
static void test_many_swaps(int listener) {
    enum { swaps = 6 };
    size_t sizes[swaps];
    config.most_waiting = 2;
    spin_self *self = make_for(listener);
    for (int i = 0; i < swaps; i++) {
        char key[16];
        snprintf(key, sizeof key, "many %d", i);
        spin_call *call = call_command(self, "INCR a", key);
        int peer = peer_greet(listener);
        peer_hear(peer, "INCR a");
        self = swap(self, &call, 1);
        peer_end(peer);
        sizes[i] = saved_size;
    }
    check("the keys are kept for a time", sizes[2] > sizes[1] && sizes[3] > sizes[2]);
    check("they are not kept for ever", sizes[4] == sizes[3] && sizes[5] == sizes[3]);
    expect("the last ones are known", host_ended(call_command(self, "INCR a", "many 2")),
           "-130 the version before a swap has sent the command, and the server may have done it");
    end(self);
    config.most_waiting = 1000;
}

// Bytes that nobody has saved.
static void test_strange(int listener) {
    spin_call *call;
    int reader;
    spin_self *self = make_reader(listener, &call, &reader);
    spin_call *sent = call_command(self, "INCR a", "one");
    int peer = peer_greet(listener);
    peer_hear(peer, "INCR a");
    host_cancel(call);
    host_cancel(sent);
    stop(self);
    save(self);
    for (size_t size = 0; size < saved_size; size += 13) {
        spin_self *next = create();
        check("a part is refused", restore(next, saved_bytes, size) != SPIN_OK);
        destroy(next);
    }
    for (size_t i = 0; i < saved_size; i += 13) {
        spin_self *next = create();
        saved_bytes[i] = (char)~saved_bytes[i];
        restore(next, saved_bytes, saved_size);
        saved_bytes[i] = (char)~saved_bytes[i];
        destroy(next);
    }
    destroy(self);
    peer_end(reader);
    peer_end(peer);
}

void test_swaps(int listener, int port) {
    reset_config(port);
    test_entries(listener);
    test_left(listener);
    test_commands(listener);
    test_many_swaps(listener);
    test_strange(listener);
}
