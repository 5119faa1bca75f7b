// The `mqtt` plugin in a host of the test, and a broker whose packets the test sends itself: damaged packets and
// refusals here, and the rest in parts.h. At the end mosquitto is the broker.
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
    world_leave(self, peer);
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
    world_leave(self, peer);
}

int main(void) {
    int port, listener = peer_listen(&port);
    world_init(port);
    test_subscriptions(listener);
    test_room(listener);
    test_cancelled(listener);
    test_cancelled_session(listener);
    test_publish(listener);
    test_waiting(listener);
    test_damage(listener);
    test_refusals(listener);
    test_session(listener);
    test_taken_messages(listener);
    test_lost_session(listener);
    test_half_messages(listener);
    test_kept_messages(listener);
    close(listener);
    test_broker();
    return 0;
}
