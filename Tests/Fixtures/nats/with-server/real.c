// Messages over a real server, which is killed and comes again.
#include "../parts.h"
#include "server.h"
#include "../world.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { many = 20000, threads = 4, rounds = 50 };

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

static void *give_room(void *context) {
    spin_call *call = context;
    for (int i = 0; i < many / 100; i++) {
        host_await_room(call);
        host_set_room(call, 100);
    }
    return NULL;
}

// Nothing is lost while a mailbox is full again and again.
static void test_many(spin_self *self, const struct server *server) {
    spin_call *call = host_call("run");
    pthread_t thread;
    host_set_room(call, 0);
    subscribe_with(self, call, "count");
    settle(self);
    expect("the server has the subscription", host_ended(call_publish(self, "nothing", "")), "");
    begin_count();
    check("a thread begins", pthread_create(&thread, NULL, give_room, call) == 0);
    server_publish_numbers(server, many);
    await_count(many);
    check("nothing is missing", missed() == 0);
    host_cancel(call);
    pthread_join(thread, NULL);
}

static void *publish_often(void *context) {
    for (int i = 0; i < rounds; i++) {
        spin_call *call = i % 2 ? call_publish(context, "b", "x") : call_request(context, "b", "x");
        if (i % 4 == 3)
            host_cancel(call);
        host_ended(call);
    }
    return NULL;
}

// Calls of several threads at once, some of which are cancelled.
static void test_threads(spin_self *self) {
    pthread_t all[threads];
    for (int i = 0; i < threads; i++)
        check("a thread begins", pthread_create(&all[i], NULL, publish_often, self) == 0);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
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
    test_threads(self);
    test_size(self);
    spin_call *stays = call_subscribe(self, "stays", "");
    expect("the server has the subscription", host_ended(call_publish(self, "nothing", "")), "");
    server_kill(&server);
    host_await(connection, "disconnected the server has closed the connection\n");
    try_again(self, SECOND);
    host_await(connection, "disconnected cannot connect: Connection refused\n");
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
