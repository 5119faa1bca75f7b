// The `mqtt` plugin in a host of the test, and a broker whose packets the test sends itself: the thread, room,
// cancellations, connections that are lost, damaged packets, and what one instance hands to the next.
#include "../plugin-host/host.h"
#include "client.h"
#include "peer.h"
#include "world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct packet packet;
static char text[512];

static const char *message(int peer) { return peer_message(peer, &packet, text, sizeof text); }

/* The number of the message that was read last, whose topic has so many bytes. */
static int number(size_t topic) { return packet.body[2 + topic] << 8 | packet.body[3 + topic]; }

static void leave(spin_self *self, int peer) {
    pthread_t thread;
    world_begin_stop(self, &thread);
    check("the client leaves in order", peer_is_left(peer, &packet));
    close(peer);
    pthread_join(thread, NULL);
    world_destroy(self);
}

// Each call gets what its filter matches, and the broker hears of a filter as long as there is a call.
static void test_subscriptions(int listener) {
    spin_self *self = world_start();
    int peer = peer_accept(listener, 0, 0);
    spin_call *all = world_subscribe(self, "a/#", 1);
    expect("the filter", peer_grant(peer, &packet, 1), "a/#");
    spin_call *one = world_subscribe(self, "a/+", 2), *same = host_call("run");
    expect("another filter", peer_grant(peer, &packet, 2), "a/+");
    world_subscribe_with(self, same, "a/+", 0);
    expect("the same filter, for what is retained", peer_grant(peer, &packet, 2), "a/+");
    peer_publish(peer, "a/b", "1", 1, 0, 7);
    check("it is acknowledged", peer_read(peer, 0x40, &packet) == 7);
    peer_publish(peer, "a/b/c", "2", 2, 1, 8);
    check("it is received", peer_read(peer, 0x50, &packet) == 8);
    peer_answer(peer, 0x62, 8);
    check("it is complete", peer_read(peer, 0x70, &packet) == 8);
    peer_publish(peer, "a/", "3", 0, 0, 0);
    expect("all of them", host_await(all, "3 q0\n"), "a/b 1 q1\na/b/c 2 q2 retained\na/ 3 q0\n");
    expect("one level", host_await(one, "3 q0\n"), "a/b 1 q1\na/ 3 q0\n");
    expect("the other call", host_await(same, "3 q0\n"), "a/b 1 q1\na/ 3 q0\n");
    host_cancel(one);
    host_cancel(all);
    peer_answer(peer, 0xb0, peer_read(peer, 0xa0, &packet));
    expect("the filter without a call", (const char *)packet.body + 4, "a/#");
    peer_publish(peer, "a/b", "4", 0, 0, 0);
    expect("the call that is left", host_await(same, "4 q0\n"), "a/b 1 q1\na/ 3 q0\na/b 4 q0\n");
    spin_call *refused = world_subscribe(self, "b", 0);
    peer_grant(peer, &packet, 128);
    expect("a refusal", host_ended(refused), "-128 the broker refuses the subscription to `b`");
    peer_read(peer, 0xa0, &packet);
    host_cancel(same);
    peer_read(peer, 0xa0, &packet);
    leave(self, peer);
}

// Without room in a mailbox, nothing is acknowledged and nothing more is read. Other calls hear of the message.
static void test_room(int listener) {
    spin_self *self = world_start();
    int peer = peer_accept(listener, 0, 0);
    spin_call *full = world_subscribe(self, "a", 1);
    peer_grant(peer, &packet, 1);
    spin_call *free = world_subscribe(self, "+", 1);
    peer_grant(peer, &packet, 1);
    host_set_room(full, 1);
    for (int i = 1; i <= 3; i++)
        peer_publish(peer, "a", (char[]){(char)('0' + i), 0}, 1, 0, i);
    check("the first one is acknowledged", peer_read(peer, 0x40, &packet) == 1);
    host_await_room(full);
    check("no other one is", recv(peer, text, 1, MSG_DONTWAIT) < 0);
    host_set_room(full, -1);
    expect("all come", host_await(full, "3 q1\n"), "a 1 q1\na 2 q1\na 3 q1\n");
    expect("to all calls", host_await(free, "3 q1\n"), "a 1 q1\na 2 q1\na 3 q1\n");
    check("they are acknowledged",
          peer_read(peer, 0x40, &packet) == 2 && peer_read(peer, 0x40, &packet) == 3);
    host_set_room(full, 0);
    peer_publish(peer, "a", "4", 1, 0, 4);
    host_await_room(full);
    host_cancel(full);
    check("a call that is cancelled holds nothing up", peer_read(peer, 0x40, &packet) == 4);
    peer_read(peer, 0xa0, &packet);
    host_cancel(free);
    peer_read(peer, 0xa0, &packet);
    leave(self, peer);
}

static void test_publish(int listener) {
    spin_self *self = world_start();
    int peer = peer_accept(listener, 0, 0);
    world_await_connection(self);
    spin_call *connection = world_connection(self);
    spin_call *call = world_publish(self, "a", "0", 0);
    expect("a message", message(peer), "a 0 q0");
    expect("its call ends when it is sent", host_ended(call), "");
    call = world_publish(self, "a", "1", 1);
    expect("a message", message(peer), "a 1 q1");
    peer_answer(peer, 0x40, number(1));
    expect("its call ends with the acknowledgement", host_ended(call), "");
    call = world_publish(self, "a", "2", 2);
    expect("a message", message(peer), "a 2 q2");
    peer_answer(peer, 0x50, number(1));
    peer_answer(peer, 0x70, peer_read(peer, 0x60, &packet));
    expect("its call ends when it is complete", host_ended(call), "");
    call = world_publish(self, "a", "3", 1);
    expect("a message without an answer", message(peer), "a 3 q1");
    spin_call *gone = world_publish(self, "a", "4", 2);
    expect("another one", message(peer), "a 4 q2");
    host_cancel(gone);
    close(peer);
    host_await(connection, "connection\n");
    peer = peer_accept(listener, 0, 0);
    expect("it is sent again", message(peer), "a 3 q1 again");
    peer_answer(peer, 0x40, number(1));
    expect("its call ends", host_ended(call), "");
    expect("so is the one whose call was cancelled", message(peer), "a 4 q2 again");
    expect("the states", host_await(connection, "connected\n"),
           "connected\ndisconnected the broker has closed the connection\nconnected\n");
    host_cancel(connection);
    leave(self, peer);
}

static void test_arguments(spin_self *self) {
    static char long_topic[70000];
    memset(long_topic, 'a', sizeof long_topic - 1);
    const struct {
        const char *topic, *payload, *reason;
        int qos;
    } cases[] = {
        {"", "", "-5 the topic is empty", 0},
        {"a/#", "", "-5 the topic of a message has no `+` and no `#`", 0},
        {"a\n", "", "-5 the topic has a control character or another one that MQTT does not allow", 0},
        {long_topic, "", "-5 the topic has more than 65535 bytes", 0},
        {"a", "", "-5 the QoS must be 0, 1 or 2", 3},
        {"a", long_topic, "-5 the payload is larger than 1000 bytes (setting `largest_message`)", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect("a message", host_ended(world_publish(self, cases[i].topic, cases[i].payload, cases[i].qos)),
               cases[i].reason);
    const char *const filters[] = {"a/#/b", "a#", "+a"};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        expect("a filter", host_ended(world_subscribe(self, filters[i], 0)),
               "-5 `+` must be a whole level of the topic, and `#` must be the last one");
    expect("a QoS", host_ended(world_subscribe(self, "a", -1)), "-5 the QoS must be 0, 1 or 2");
}

// Before there is a connection, messages wait or fail.
static void test_waiting(int listener) {
    world_config.most_waiting = 2;
    spin_self *self = world_start();
    test_arguments(self);
    int first = accept(listener, NULL, NULL); // it is not answered
    expect("a message that does not wait", host_ended(world_publish(self, "a", "0", 0)),
           "-1 there is no connection: the client has not connected yet");
    spin_call *gone = world_publish(self, "a", "1", 1), *call = world_publish(self, "a", "2", 1);
    expect("one too many", host_ended(world_publish(self, "a", "3", 1)),
           "-2 2 messages wait already (setting `most_waiting`)");
    host_cancel(gone);
    world_settle(self);
    close(first);
    int peer = peer_accept(listener, 0, 0);
    expect("the message of the call that is left", message(peer), "a 2 q1");
    peer_answer(peer, 0x40, number(1));
    expect("its call ends", host_ended(call), "");
    leave(self, peer);
    world_config.most_waiting = 1000;
}

// Packets that are not valid, or not expected, end the connection, and the next one works.
static void test_damage(int listener) {
    static const struct {
        uint8_t bytes[16];
        size_t size;
    } cases[] = {
        {{0x00, 0x00}, 2},                              // no type
        {{0x30, 0xff, 0xff, 0xff, 0xff, 0xff}, 6},      // a length without end
        {{0x30, 0x01, 0x00}, 3},                        // a topic that is cut off
        {{0x30, 0x04, 0x00, 0x09, 'a', 'b'}, 6},        // a topic that is longer than its packet
        {{0x30, 0x02, 0x00, 0x00}, 4},                  // no topic
        {{0x36, 0x05, 0x00, 0x01, 'a', 0x00, 0x01}, 7}, // QoS 3
        {{0x32, 0x05, 0x00, 0x01, 'a', 0x00, 0x00}, 7}, // the number 0
        {{0x30, 0x04, 0x00, 0x02, 0xff, 0xfe}, 6},      // a topic that is not UTF-8
        {{0x90, 0x00}, 2},                              // SUBACK without a number
        {{0x40, 0x01, 0x00}, 3},                        // half of a number
        {{0x82, 0x00}, 2},                              // SUBSCRIBE, from a broker
    };
    spin_self *self = world_start();
    spin_call *connection = world_connection(self);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int peer = peer_accept(listener, 0, 0);
        host_await(connection, "connected\n");
        check("bytes are sent",
              send(peer, cases[i].bytes, cases[i].size, MSG_NOSIGNAL) == (ssize_t)cases[i].size);
        check("the client closes the connection", recv(peer, text, 1, 0) <= 0);
        host_await(connection, "is not valid\n");
        close(peer);
    }
    int peer = peer_accept(listener, 0, 0);
    peer_send(peer, 0x90, (uint8_t[]){0, 99, 0}, 3); // nobody has asked
    peer_answer(peer, 0x40, 99);
    spin_call *call = world_subscribe(self, "b", 0);
    peer_grant(peer, &packet, 0);
    char large[1200] = "";
    memset(large, 'a', sizeof large - 1);
    peer_publish(peer, "b", large, 1, 0, 1);
    check("a message that is too large is acknowledged", peer_read(peer, 0x40, &packet) == 1);
    peer_publish(peer, "b", "fine", 0, 0, 0);
    expect("and dropped", host_await(call, "q0\n"), "b fine q0\n");
    host_cancel(call);
    peer_read(peer, 0xa0, &packet);
    host_cancel(connection);
    leave(self, peer);
}

static void test_refusals(int listener) {
    spin_self *self = world_start();
    spin_call *connection = world_connection(self);
    host_await(connection, "yet\n");
    close(peer_accept(listener, 0, 4));
    close(peer_accept(listener, 0, 4));
    int peer = peer_accept(listener, 0, 5);
    host_await(connection, "allowed to connect\n");
    close(peer);
    peer = peer_accept(listener, 1, 0);
    expect("each state is emitted once", host_await(connection, "\nconnected again\n"),
           "disconnected the client has not connected yet\n"
           "disconnected the broker refuses the client: the user or the password is wrong\n"
           "disconnected the broker refuses the client: the user is not allowed to connect\n"
           "connected again\n");
    host_cancel(connection);
    leave(self, peer);
}

// What a session has received and its loop has not taken comes to the next instance, once.
static void test_session(int listener) {
    world_config.client = (spin_string){"c", 1};
    world_config.keeps_session = 1;
    spin_self *self = world_start();
    int peer = peer_accept(listener, 1, 0);
    spin_call *call = world_subscribe(self, "a", 2);
    peer_grant(peer, &packet, 2);
    peer_publish(peer, "a", "half", 2, 0, 1);
    check("it is received", peer_read(peer, 0x50, &packet) == 1);
    host_cancel(call);
    pthread_t thread;
    world_begin_stop(self, &thread);
    int fence = peer_read(peer, 0xa0, &packet);
    peer_publish(peer, "a", "late", 1, 0, 2);
    peer_publish(peer, "a", "later", 2, 0, 3);
    peer_answer(peer, 0x62, 1);
    peer_answer(peer, 0xb0, fence);
    check("it acknowledges nothing any more", peer_is_left(peer, &packet));
    close(peer);
    pthread_join(thread, NULL);
    spin_self *next = world_take_over(self);
    world_destroy(self);
    peer = peer_accept(listener, 1, 0);
    peer_answer(peer, 0x62, 1);
    call = world_subscribe(next, "+", 2);
    peer_grant(peer, &packet, 2);
    check("it completes what the last one has received", peer_read(peer, 0x70, &packet) == 1);
    peer_publish(peer, "a", "late", 1, 0, 2);
    check("it acknowledges", peer_read(peer, 0x40, &packet) == 2);
    expect("nothing is lost, and nothing comes twice", host_await(call, "late q1\n"),
           "a half q2\na late q1\n");
    world_begin_stop(next, &thread);
    host_cancel(call); // as a thread of the host that is late
    peer_answer(peer, 0xb0, peer_read(peer, 0xa0, &packet));
    expect("the filter of the fence", (const char *)packet.body + 4, "spinhost/end");
    check("it leaves, and unsubscribes from nothing", peer_is_left(peer, &packet));
    close(peer);
    pthread_join(thread, NULL);
    world_destroy(next);
    world_config.keeps_session = 0;
}

int main(void) {
    int port, listener = peer_listen(&port);
    world_init(port);
    test_subscriptions(listener);
    test_room(listener);
    test_publish(listener);
    test_waiting(listener);
    test_damage(listener);
    test_refusals(listener);
    test_session(listener);
    close(listener);
    test_broker();
    return 0;
}
