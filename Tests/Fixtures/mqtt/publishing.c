// Messages that go out, and calls whose arguments are not valid.
#include "../plugin-host/host.h"
#include "client.h"
#include "parts.h"
#include "peer.h"
#include "world.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct packet packet;
static char text[512];

static const char *message(int peer) { return peer_message(peer, &packet, text, sizeof text); }

/* The number of the message that was read last, whose topic has so many bytes. */
static int number(size_t topic) { return packet.body[2 + topic] << 8 | packet.body[3 + topic]; }

void test_publish(int listener) {
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
    expect("it is sent again", message(peer), "a 3 q1");
    peer_answer(peer, 0x40, number(1));
    expect("its call ends", host_ended(call), "");
    expect("the states", host_await(connection, "connected\n"),
           "connected\ndisconnected the broker has closed the connection\nconnected\n");
    host_cancel(connection);
    world_leave(self, peer);
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
    const char *const shared[] = {"$share/a", "$share//a", "$share/g/", "$share/+/a"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        expect("a group", host_ended(world_subscribe(self, shared[i], 0)),
               "-5 a shared topic must be `$share/GROUP/TOPIC`, and a group has no `+` and no `#`");
    expect("a QoS", host_ended(world_subscribe(self, "a", -1)), "-5 the QoS must be 0, 1 or 2");
}

// Before there is a connection, messages wait or fail.
void test_waiting(int listener) {
    world_config.most_waiting = 2;
    spin_self *self = world_start();
    test_arguments(self);
    int first = accept(listener, NULL, NULL); // it is not answered
    expect("a message that does not wait", host_ended(world_publish(self, "a", "0", 0)),
           "-129 there is no connection: the client has not connected yet");
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
    world_leave(self, peer);
    world_config.most_waiting = 1000;
}
