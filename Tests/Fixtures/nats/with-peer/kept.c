// Messages that cancelled calls of `subscribe` held.
#include "../parts.h"
#include "scene.h"
#include "../../plugin-host/saved.h"
#include <stdio.h>
#include <unistd.h>

static char ticket[PEER_TICKET];

// An instance that holds so many messages, and a call that subscribes to `a` and has no room.
static spin_self *begin_full(int most_held, spin_call **call) {
    listen_once();
    config.most_held = most_held;
    spin_self *self = connect_once();
    *call = host_call("run");
    host_set_room(*call, 0);
    subscribe_with(self, *call, "a");
    peer_take_ticket(peer, "a", ticket);
    return self;
}

// The next call of a subject gets the messages that a cancelled one held, also in another instance. A later one does
// not.
void test_kept(void) {
    spin_call *full;
    spin_self *self = begin_full(2, &full);
    char headed[128];
    snprintf(headed, sizeof headed, "HMSG a %s 18 21\r\nNATS/1.0\r\nA: b\r\n\r\ntwo\r\n", ticket);
    peer_message(peer, "a", ticket, "r", "one");
    peer_send(peer, headed);
    peer_message(peer, "a", ticket, "", "three");
    host_await_room(full);
    peer_send(peer, "PING\r\n");
    peer_expect(peer, "PONG");
    host_cancel(full);
    peer_expect(peer, "UNSUB ");
    stop(self);
    peer_end(peer);
    spin_self *next = take_over(self);
    destroy(self);
    for (size_t size = 0; size <= saved_size; size++) {
        spin_self *other = create();
        check("a part is refused",
              (restore(other, saved_bytes, size) == SPIN_OK) == (size == 0 || size == saved_size));
        destroy(other);
    }
    start(next);
    peer = peer_accept(listener);
    spin_call *other = call_subscribe(next, "a", "q"), *call = call_subscribe(next, "a", "");
    expect("the next call", host_await(call, "missed 1\n"), "a to r one\na [A=b] two\nmissed 1\n");
    host_cancel(call);
    call = call_subscribe(next, "a", "");
    peer_expect(peer, "SUB a q ");
    peer_expect(peer, "SUB a ");
    peer_expect(peer, "UNSUB ");
    peer_take_ticket(peer, "a", ticket);
    host_set_room(call, 0);
    peer_message(peer, "a", ticket, "", "four");
    host_await_room(call);
    host_cancel(call);
    peer_expect(peer, "UNSUB ");
    settle(next);
    host_advance(5 * SECOND);
    settle(next);
    call = call_subscribe(next, "a", "");
    peer_take_ticket(peer, "a", ticket);
    peer_message(peer, "a", ticket, "", "five");
    expect("after five seconds", host_await(call, "five\n"), "a five\n");
    host_cancel(call);
    host_cancel(other);
    expect("other calls", host_ended(other), "");
    finish(next);
}

// Another instance takes over; it has started.
static spin_self *swap(spin_self *self) {
    stop(self);
    peer_end(peer);
    spin_self *next = take_over(self);
    destroy(self);
    start(next);
    return next;
}

enum { runs = 3 };
static const char *const keys[runs] = {"run 1", "run 2", "run 3"};

// Subscribes to the same subject once more for each run, which has no room at first.
static void subscribe_all(spin_self *self, spin_call *calls[runs], char tickets[runs][PEER_TICKET]) {
    for (int i = 0; i < runs; i++) {
        calls[i] = host_call(keys[i]);
        host_set_room(calls[i], 0);
        subscribe_with(self, calls[i], "a");
        peer_take_ticket(peer, "a", tickets[i]);
    }
}

// Calls that are made again get the messages of their own runs, in whichever order they come.
void test_kept_runs(void) {
    spin_call *calls[runs];
    char tickets[runs][PEER_TICKET];
    listen_once();
    spin_self *self = connect_once();
    subscribe_all(self, calls, tickets);
    peer_message(peer, "a", tickets[2], "", "for run 3");
    host_await_room(calls[2]);
    peer_message(peer, "a", tickets[1], "", "for run 2");
    host_await_room(calls[1]);
    for (int i = 0; i < runs; i++)
        host_cancel(calls[i]);
    spin_self *next = swap(self);
    peer = peer_accept(listener);
    subscribe_all(next, calls, tickets);
    for (int i = 0; i < runs; i++)
        host_set_room(calls[i], -1);
    peer_message(peer, "a", tickets[0], "", "new");
    expect("the run that held nothing", host_await(calls[0], "new\n"), "a new\n");
    expect("the second run", host_await(calls[1], "for run 2\n"), "a for run 2\n");
    expect("the third run", host_await(calls[2], "for run 3\n"), "a for run 3\n");
    for (int i = 0; i < runs; i++)
        host_cancel(calls[i]);
    // The first call of a run gets what another run of the subject held.
    spin_call *full = call_subscribe(next, "b", ""), *other = host_call("run 4");
    peer_expect(peer, "UNSUB ");
    peer_expect(peer, "UNSUB ");
    peer_expect(peer, "UNSUB ");
    peer_take_ticket(peer, "b", ticket);
    host_set_room(full, 0);
    peer_message(peer, "b", ticket, "", "held");
    host_await_room(full);
    host_cancel(full);
    subscribe_with(next, other, "b");
    expect("another run", host_await(other, "held\n"), "b held\n");
    host_cancel(other);
    finish(next);
}

// The number of dropped messages reaches the next call, also when nothing else is left of them.
void test_kept_count(void) {
    spin_call *full;
    spin_self *self = begin_full(1, &full);
    peer_message(peer, "a", ticket, "", "held");
    peer_message(peer, "a", ticket, "", "dropped");
    peer_send(peer, "PING\r\n");
    peer_expect(peer, "PONG");
    host_await_room(full);
    host_set_room(full, 1);
    host_await(full, "held\n");
    host_await_room(full);
    host_cancel(full);
    spin_self *next = swap(self);
    peer = peer_accept(listener);
    spin_call *call = call_subscribe(next, "a", "");
    expect("the next call", host_await(call, "missed 1\n"), "missed 1\n");
    host_cancel(call);
    finish(next);
}

// Each of many calls gets its messages.
void test_kept_many(void) {
    enum { many = 100 };
    char key[16], text[32];
    spin_call *calls[many];
    listen_once();
    spin_self *self = connect_once();
    for (int i = 0; i < many; i++) {
        snprintf(key, sizeof key, "run %d", i);
        calls[i] = host_call(key);
        host_set_room(calls[i], 0);
        subscribe_with(self, calls[i], "a");
        peer_take_ticket(peer, "a", ticket);
        peer_message(peer, "a", ticket, "", key);
        host_await_room(calls[i]);
    }
    for (int i = 0; i < many; i++)
        host_cancel(calls[i]);
    spin_self *next = swap(self);
    for (int i = 0; i < many; i++) {
        snprintf(key, sizeof key, "run %d", i);
        snprintf(text, sizeof text, "a %s\n", key);
        calls[i] = host_call(key);
        subscribe_with(next, calls[i], "a");
        expect(key, host_await(calls[i], text), text);
        host_cancel(calls[i]);
    }
    end(next);
    close(listener);
}
