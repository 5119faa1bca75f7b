// JetStream of a real server.
#include "../parts.h"
#include "server.h"
#include "../world.h"
#include <stdio.h>
#include <string.h>

static void request_api(spin_self *self, const char *subject, const char *order) {
    const char *answer = host_ended(call_request(self, subject, order));
    check(subject, strncmp(answer, "answer ", 7) == 0);
}

static void make_stream(spin_self *self, const char *retention) {
    char order[256];
    snprintf(order, sizeof order,
             "{\"name\":\"ORDERS\",\"subjects\":[\"orders.*\"],\"retention\":\"%s\",\"storage\":\"file\","
             "\"max_msgs_per_subject\":100,\"duplicate_window\":60000000000}",
             retention);
    request_api(self, "$JS.API.STREAM.CREATE.ORDERS", order);
}

static void make_consumer(spin_self *self) {
    request_api(
        self, "$JS.API.CONSUMER.DURABLE.CREATE.ORDERS.work",
        "{\"stream_name\":\"ORDERS\",\"config\":{\"durable_name\":\"work\",\"ack_policy\":\"explicit\","
        "\"deliver_policy\":\"all\",\"ack_wait\":30000000000}}");
}

static void test_stores(spin_self *self) {
    expect("stored", host_ended(call_store(self, "orders.a", "1", "A: b", "id-1")), "stored ORDERS #1\n");
    expect("again", host_ended(call_store(self, "orders.a", "1", "A: b", "id-1")),
           "stored ORDERS #1 again\n");
    expect("by the key of the run", host_ended(call_store(self, "orders.b", "2", NULL, "")),
           "stored ORDERS #2\n");
    expect("the key again", host_ended(call_store(self, "orders.b", "2", NULL, "")),
           "stored ORDERS #2 again\n");
    expect("no stream", host_ended(call_store(self, "others.a", "1", NULL, "x")),
           "-130 no stream stores messages of this subject");
    expect("an expectation",
           host_ended(call_store(self, "orders.a", "3", "Nats-Expected-Last-Sequence: 7", "id-2")),
           "-128 the stream does not store the message: wrong last sequence: 2");
}

// The server gives the message to who has subscribed, and so does not say that no stream stores it.
static void test_subscribed(spin_self *self) {
    spin_call *hears = call_subscribe(self, "others.*", "");
    settle(self);
    expect("the server has the subscription", host_ended(call_publish(self, "nothing", "")), "");
    spin_call *stores = call_store(self, "others.a", "1", NULL, "x");
    host_await(hears, " 1\n");
    host_advance(config.request_timeout);
    expect("no stream stores it", host_ended(stores), "-131 no answer has come (setting `request_timeout`)");
    host_cancel(hears);
}

static char first[512];

// A message that is not acknowledged comes again, and handles outlive a connection and an instance.
static spin_self *test_consumer(spin_self *self) {
    spin_call *call = host_call("run");
    host_set_room(call, 1);
    consume_with(self, call, "ORDERS", "work", 1);
    expect("the first", host_await(call, " 1\n"), "orders.a #1 x1 [Nats-Msg-Id=id-1] [A=b] 1\n");
    expect("it is done", host_ended(call_tell(self, "acknowledge", last_delivered())), "");
    host_set_room(call, -1);
    host_await(call, "orders.b #2 x1 [Nats-Msg-Id=key of the run] 2\n");
    expect("it is in progress", host_ended(call_tell(self, "in_progress", last_delivered())), "");
    expect("once more", host_ended(call_refuse(self, last_delivered(), 0)), "");
    host_await(call, "orders.b #2 x2 [Nats-Msg-Id=key of the run] 2\n");
    snprintf(first, sizeof first, "%s", last_delivered());
    host_cancel(call);
    end(self);
    self = make();
    expect("another instance acknowledges it", host_ended(call_tell(self, "acknowledge", first)), "");
    expect("and once more", host_ended(call_tell(self, "acknowledge", first)), "");
    return self;
}

// A loop without room holds a batch, and gives it back when it is cancelled.
static void test_back(spin_self *self) {
    spin_call *full = host_call("run");
    host_set_room(full, 0);
    expect("stored", host_ended(call_store(self, "orders.c", "3", NULL, "id-3")), "stored ORDERS #3\n");
    consume_with(self, full, "ORDERS", "work", 10);
    host_await_room(full);
    host_cancel(full);
    spin_call *call = call_consume(self, "ORDERS", "work", 10);
    host_await(call, "[Nats-Msg-Id=id-3] 3\n"); // The server need not count the first delivery.
    expect("never again", host_ended(call_tell(self, "terminate", last_delivered())), "");
    host_cancel(call);
}

// A consumer that is removed while a call asks it, and comes again.
static void test_removed(spin_self *self) {
    spin_call *call = call_consume(self, "ORDERS", "work", 5);
    expect("stored", host_ended(call_store(self, "orders.e", "5", NULL, "id-5")), "stored ORDERS #4\n");
    host_await(call, "[Nats-Msg-Id=id-5] 5\n");
    request_api(self, "$JS.API.CONSUMER.DELETE.ORDERS.work", "");
    // A server that was killed may have forgotten acknowledgements, so older messages may come, too.
    host_await(call, "unavailable the server says: 409 Consumer Deleted\n");
    try_again(self, SECOND);
    host_await(call, "unavailable consumer not found\n");
    make_consumer(self);
    request_api(self, "$JS.API.STREAM.PURGE.ORDERS", "");
    expect("stored", host_ended(call_store(self, "orders.d", "4", NULL, "id-4")), "stored ORDERS #5\n");
    try_again(self, 2 * SECOND);
    host_await(call, "orders.d #5 x1 [Nats-Msg-Id=id-4] 4\n");
    expect("acknowledged", host_ended(call_tell(self, "acknowledge", last_delivered())), "");
    snprintf(first, sizeof first, "%s", last_delivered());
    request_api(self, "$JS.API.STREAM.DELETE.ORDERS", "");
    expect("its consumer is gone", host_ended(call_tell(self, "acknowledge", first)),
           "-130 the consumer of the message is not there any more");
    host_cancel(call);
}

void test_streams(void) {
    struct server server;
    server_begin(&server, "jetstream: { store_dir: \"%s/store\" }\n");
    reset_config(server.port);
    spin_self *self = make();
    make_stream(self, "limits");
    make_consumer(self);
    test_stores(self);
    test_subscribed(self);
    self = test_consumer(self);
    test_back(self);
    // The server comes again with what it has stored.
    spin_call *connection = call_connection(self);
    server_kill(&server);
    host_await(connection, "disconnected the server has closed the connection\n");
    server_again(&server);
    try_again(self, SECOND);
    host_await(connection, "connected\n");
    host_cancel(connection);
    test_removed(self);
    end(self);
    server_end(&server);
}
