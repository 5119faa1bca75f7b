// Messages over a real server, which is killed and comes again.
#include "../parts.h"
#include "server.h"
#include "../world.h"
#include "../../plugin-host/log.h"
#include "../../plugin-host/threads.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { many = 20000 };

// Another app answers each message of its queue.
static void test_requests(spin_self *self, spin_self *other) {
    spin_call *serves = call_subscribe(other, "work.*", "workers");
    settle(other);
    expect("the server has the subscription", host_ended(call_publish(other, "nothing", "")), "");
    spin_call *asks = call_request(self, "work.a", "1");
    const char *heard = host_await(serves, " 1\n");
    check("the message has a reply", strncmp(heard, "work.a", 6) == 0);
    host_cancel(asks);
    host_cancel(serves);
    expect("nobody is left", host_ended(call_publish(other, "nothing", "")), "");
    expect("nobody answers", host_ended(call_request(self, "work.a", "2")),
           "-130 nobody answers requests of this subject");
}

// Nothing is lost while a mailbox is full again and again.
static void test_many(spin_self *self, const struct server *server) {
    spin_call *call = host_call("run");
    struct room_giver giver;
    host_set_room(call, 0);
    subscribe_with(self, call, "count");
    settle(self);
    expect("the server has the subscription", host_ended(call_publish(self, "nothing", "")), "");
    begin_count();
    room_giver_begin(&giver, call, 100, many / 100);
    server_publish_numbers(server, many);
    check("nothing is missing", end_count(many) == 0);
    host_cancel(call);
    room_giver_end(&giver);
}

static spin_call *publish_or_ask(spin_self *self, int number) {
    return number % 2 ? call_publish(self, "b", "x") : call_request(self, "b", "x");
}

// A message with headers that is as large as the server takes, and one that is larger.
static void test_size(spin_self *self) {
    enum { size = 1 << 20 };
    uint8_t *data = calloc(1, size + 1);
    spin_call *call = call_subscribe(self, "large", "");
    spin_bytes whole = {data, size - 18}, more = {data, size - 17};
    expect("the largest", host_ended(call_send(self, "publish", "large", whole, "A: b")), "");
    host_await(call, "large [A=b] 1048558 bytes\n");
    expect("a larger one", host_ended(call_send(self, "publish", "large", more, "A: b")),
           "-5 the message has 1048577 bytes, and the server takes 1048576 at most");
    host_cancel(call);
    free(data);
}

void test_real(void) {
    struct server server;
    server_begin(&server, "max_payload: 1048576\n");
    reset_config(server.port);
    config.largest_message = 2 << 20;
    config.most_held = many;
    spin_self *self = make(), *other = make();
    spin_call *connection = call_connection(self);
    host_await(connection, "connected\n");
    await_connection(other);
    test_requests(self, other);
    test_many(self, &server);
    // Some of the calls are cancelled.
    make_calls_at_once(self, 50, publish_or_ask);
    test_size(self);
    spin_call *stays = call_subscribe(self, "stays", "");
    expect("the server has the subscription", host_ended(call_publish(self, "nothing", "")), "");
    server_kill(&server);
    host_await(connection, "disconnected the server has closed the connection\n");
    try_again(self, SECOND);
    host_await(connection, "disconnected cannot connect: Connection refused\n");
    char fields[64];
    snprintf(fields, sizeof fields, "server=127.0.0.1:%d reason=", server.port);
    check("the log names the server",
          strncmp(log_fields("not connected to the server"), fields, strlen(fields)) == 0);
    server_again(&server);
    spin_call *waits = call_publish(self, "stays", "again");
    try_again(self, 2 * SECOND);
    host_await(connection, "connected\n");
    expect("a message that has waited", host_ended(waits), "");
    expect("it comes", host_await(stays, "again\n"), "stays again\n");
    host_cancel(stays);
    host_cancel(connection);
    end(other);
    end(self);
    server_end(&server);
}
