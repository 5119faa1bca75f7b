// Requests to a consumer of JetStream, and its messages.
#include "consumer.h"
#include "../parts.h"
#include "scene.h"
#include <string.h>

// Messages come batch by batch, and the next batch is asked for when the loop has taken the last one.
void test_pulls(void) {
    listen_once();
    spin_self *self = connect_once();
    spin_call *call = call_consume(self, "s", "c", 2);
    take_subscription();
    expect("what it asks for", take_first_pull(),
           "{\"batch\":2,\"expires\":30000000000,\"idle_heartbeat\":5000000000}");
    give("one");
    status("100 Idle Heartbeat");
    give("two");
    take_pull();
    give("three");
    expect("the messages", host_await(call, "three\n"),
           "orders.new #1 x1 one\norders.new #2 x1 two\norders.new #3 x1 three\n");
    expect("the handle", last_delivered(), "$JS.ACK.s.c.1.3.3.1700000000000000000.0");
    status("408 Request Timeout");
    take_pull();
    // The handle of another domain.
    peer_message(peer, "o", ticket, "$JS.ACK.hub.hash.s.c.7.40.41.1700000000000000000.0.random", "four");
    // One that cannot be read takes its place in the batch, and the next one comes.
    peer_message(peer, "o", ticket, "$JS.ACK.s.c.1.x.41.1700000000000000000.0", "unknown");
    take_pull();
    // The handle of a later version of the server.
    peer_message(peer, "o", ticket, "$JS.ACK.hub.hash.s.c.1.42.43.1700000000000000000.0.a.b.c.d.e.f.g",
                 "five");
    expect("it has more parts", host_await(call, "five\n") + strlen("orders.new #1 x1 one\n") * 2,
           "orders.new #3 x1 three\no #40 x7 four\no #42 x1 five\n");
    host_cancel(call);
    peer_expect(peer, "UNSUB ");
    give("late");
    peer_expect(peer, "PUB $JS.ACK.s.c.1.4.4.");
    expect("it is given back", peer_line(peer), "-NAK");
    finish(self);
}

// While a loop has no room, nothing more is asked for, and what it does not take goes back.
void test_pull_room(void) {
    listen_once();
    spin_self *self = connect_once();
    spin_call *full = host_call("run");
    host_set_room(full, 1);
    consume_with(self, full, "s", "c", 3);
    take_subscription();
    take_first_pull();
    give("one");
    give("two");
    give("three");
    give("one too many, which nobody has asked for");
    give("and one more");
    peer_expect(peer, "PUB $JS.ACK.s.c.1.5.5.");
    expect("it goes back", peer_line(peer), "-NAK");
    host_await_room(full);
    expect("there is room for one", host_await(full, "one\n"), "orders.new #1 x1 one\n");
    host_set_room(full, 1);
    host_await(full, "two\n");
    host_await_room(full);
    host_cancel(full);
    peer_expect(peer, "UNSUB ");
    peer_expect(peer, "PUB $JS.ACK.s.c.1.3.3.");
    expect("what was held goes back", peer_line(peer), "-NAK");
    peer_expect(peer, "PUB $JS.ACK.s.c.1.4.4.");
    finish(self);
}

// A message that is larger than the plugin takes is not acknowledged, and the others come.
void test_large_pulls(void) {
    listen_once();
    config.largest_message = 20; // JetStream answers the plugin with more.
    spin_self *self = connect_once();
    spin_call *call = call_consume(self, "s", "c", 2);
    take_subscription();
    take_first_pull();
    char large[202] = "";
    memset(large, 'x', sizeof large - 1);
    give(large);
    give("small");
    take_pull();
    expect("the small one", host_await(call, "small\n"), "orders.new #2 x1 small\n");
    host_cancel(call);
    finish(self);
}
