// Requests to a consumer of JetStream, and what a server may say to them.
#include "parts.h"
#include "scene.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static char ticket[32], inbox[160];
static int sequence;

static spin_self *begin(void) {
    listen_once();
    spin_self *self = connect_once();
    sequence = 0;
    return self;
}

static void take_subscription(void) {
    char line[128];
    snprintf(line, sizeof line, "%s", peer_expect(peer, "SUB _INBOX."));
    snprintf(ticket, sizeof ticket, "%s", strchr(line, ' ') + 1);
}

static const char is_there[] = "{\"type\":\"consumer_info\",\"config\":{\"ack_policy\":\"explicit\"}}";

// Reads a request about the consumer.
static void take_question(void) {
    snprintf(inbox, sizeof inbox, "%s", peer_expect(peer, "PUB $JS.API.CONSUMER.INFO.s.c "));
    *strchr(inbox, ' ') = 0;
    peer_expect(peer, "");
}

// Reads it, and answers it.
static void take_info(const char *answer) {
    take_question();
    peer_message(peer, inbox, ticket, "", answer);
}

// Reads a request for messages; what it asks for.
static const char *take_pull(void) {
    snprintf(inbox, sizeof inbox, "%s", peer_expect(peer, "PUB $JS.API.CONSUMER.MSG.NEXT.s.c "));
    *strchr(inbox, ' ') = 0;
    return peer_line(peer);
}

// The same after a failure, or the first time.
static const char *take_first_pull(void) {
    take_info(is_there);
    return take_pull();
}

static void give(const char *data) {
    char handle[64];
    ++sequence;
    snprintf(handle, sizeof handle, "$JS.ACK.s.c.1.%d.%d.1700000000000000000.0", sequence, sequence);
    peer_message(peer, "orders.new", ticket, handle, data);
}

static void status(const char *text) {
    char frame[512];
    size_t size = strlen("NATS/1.0 \r\n\r\n") + strlen(text);
    snprintf(frame, sizeof frame, "HMSG %s %s %zu %zu\r\nNATS/1.0 %s\r\n\r\n\r\n", inbox, ticket, size, size,
             text);
    peer_send(peer, frame);
}

// Waits until the instance has read all that was sent, and is to come again.
static void await_read(spin_self *self) {
    peer_send(peer, "PING\r\n");
    peer_expect(peer, "PONG");
    settle(self);
}

// Lets time pass second by second, so that the instance sees each of them.
static void pass(spin_self *self, int seconds) {
    for (int i = 0; i < seconds; i++) {
        host_advance(SECOND);
        settle(self);
    }
}

// Messages come batch by batch, and the next batch is asked for when the loop has taken the last one.
void test_pulls(void) {
    spin_self *self = begin();
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

static void await_unavailable(spin_call *call, const char *reason) {
    char text[300];
    snprintf(text, sizeof text, "unavailable %s\n", reason);
    host_await(call, text);
}

// The loop hears once of a consumer that does not work, and requests come ever more seldom.
void test_pull_statuses(void) {
    static const char not_there[] = "JetStream is not there";
    spin_self *self = begin();
    spin_call *call = call_consume(self, "s", "c", 10);
    take_subscription();
    take_first_pull();
    status("503");
    await_unavailable(call, not_there);
    await_read(self);
    for (int i = 0; i < 3; i++) {
        host_advance((SECOND << i) / 2 - 1);
        settle(self);
        check("it does not ask at once", recv(peer, inbox, 1, MSG_DONTWAIT) < 0);
        pass(self, 1 << i);
        take_first_pull();
        status("503");
        await_read(self);
    }
    pass(self, 8);
    take_first_pull();
    // A long text is cut off between characters.
    char text[256] = "409 x", shown[256];
    for (size_t size = 5; size < 205; size += 2)
        memcpy(text + size, "\xc3\xa4", 2);
    status(text);
    snprintf(shown, sizeof shown, "the server says: %.153s", text);
    await_unavailable(call, shown);
    await_read(self);
    pass(self, 16);
    // A message of an earlier request does not stand in the way of the answer.
    take_question();
    give("late");
    host_await(call, "late\n");
    await_read(self);
    peer_message(peer, inbox, ticket, "", is_there);
    take_pull();
    status("409 Consumer Deleted");
    await_unavailable(call, "the server says: 409 Consumer Deleted");
    await_read(self);
    pass(self, 32);
    // A status of an earlier request is not about this one.
    char before[160], now[160];
    memcpy(before, inbox, sizeof before);
    take_first_pull();
    memcpy(now, inbox, sizeof now);
    memcpy(inbox, before, sizeof inbox);
    status("409 Old");
    memcpy(inbox, now, sizeof inbox);
    give("one");
    host_await(call, "one\n");
    // A server that forgets the request.
    await_read(self);
    pass(self, 15);
    await_unavailable(call, "the server says nothing of the request for messages");
    pass(self, 1);
    take_first_pull();
    status("404 No Messages"); // At once, so it is not asked at once.
    await_read(self);
    check("it does not ask at once", recv(peer, inbox, 1, MSG_DONTWAIT) < 0);
    pass(self, 2);
    take_info("{\"error\":{\"code\":404,\"err_code\":10014,\"description\":\"not \xff found\"}}");
    await_unavailable(call, "not \xef\xbf\xbd found");
    await_read(self);
    pass(self, 4);
    take_info("{\"config\":{\"deliver_subject\":\"d\"}}");
    await_unavailable(call, "it is a push consumer");
    await_read(self);
    pass(self, 8);
    take_first_pull();
    peer_send(peer, "-ERR 'Permissions Violation for Publish to \"$JS.API.CONSUMER.MSG.NEXT.s.c\"'\r\n");
    await_unavailable(call, "the server refuses the request for messages");
    host_cancel(call);
    finish(self);
}

// While a loop has no room, nothing more is asked for, and what it does not take goes back.
void test_pull_room(void) {
    spin_self *self = begin();
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
    sequence = 0;
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
