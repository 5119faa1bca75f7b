// What one connection, or one instance, leaves to the next.
#include "../plugin-host/host.h"
#include "client.h"
#include "parts.h"
#include "peer.h"
#include "world.h"
#include <sys/socket.h>
#include <unistd.h>

static struct packet packet;

// The broker and the client agree that a message of QoS 2 was sent once.
static void complete(int peer, int number) {
    check("it is received", peer_read(peer, 0x50, &packet) == number);
    peer_answer(peer, 0x62, number);
    check("it is complete", peer_read(peer, 0x70, &packet) == number);
}

// What a session has received and its loop has not taken comes to the next instance, once.
void test_session(int listener) {
    world_keep_session(1);
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
    world_keep_session(0);
}

// Two messages that are read at once, of which the loop has taken the first one. The broker sends only the other again.
void test_taken_messages(int listener) {
    world_keep_session(1);
    spin_self *self = world_start();
    int peer = peer_accept(listener, 1, 0);
    spin_call *call = world_subscribe(self, "a", 1), *publish[2];
    peer_grant(peer, &packet, 1);
    for (int i = 0; i < 2; i++) {
        // Libmosquitto reads as many packets at once as it has messages without an answer.
        publish[i] = world_publish(self, "b", "x", 1);
        peer_read(peer, 0x30, &packet);
    }
    host_set_room(call, 1);
    static const uint8_t both[] = {0x32, 6, 0, 1, 'a', 0, 1, '1', 0x32, 6, 0, 1, 'a', 0, 2, '2'};
    check("both are sent", send(peer, both, sizeof both, 0) == (ssize_t)sizeof both);
    host_await_room(call);
    expect("one is taken", host_await(call, "q1\n"), "a 1 q1\n");
    host_cancel(publish[0]);
    host_cancel(publish[1]);
    host_cancel(call); // the last one, so that the message waits
    pthread_t thread;
    world_begin_stop(self, &thread);
    check("it is acknowledged", peer_read(peer, 0x40, &packet) == 1);
    peer_answer(peer, 0xb0, peer_read(peer, 0xa0, &packet));
    check("the other one is not", peer_is_left(peer, &packet));
    close(peer);
    pthread_join(thread, NULL);
    world_destroy(self);
    world_keep_session(0);
}

// A message of QoS 2 that has come half ends with its connection. A later one with the same number is not taken for it.
void test_half_messages(int listener) {
    spin_self *self = world_start();
    int peer = peer_accept(listener, 0, 0);
    spin_call *call = world_subscribe(self, "a", 2);
    peer_grant(peer, &packet, 2);
    peer_publish(peer, "a", "old", 2, 0, 1);
    check("it is received", peer_read(peer, 0x50, &packet) == 1);
    close(peer);
    peer = peer_accept(listener, 0, 0);
    peer_grant(peer, &packet, 2);
    peer_publish(peer, "a", "new", 2, 0, 1);
    complete(peer, 1);
    expect("the new one comes", host_await(call, "q2\n"), "a new q2\n");
    host_cancel(call);
    peer_read(peer, 0xa0, &packet);
    world_leave(self, peer);
}

// When the broker has lost a session, the client forgets what it has of it, and says so. Its own messages go out.
void test_lost_session(int listener) {
    world_keep_session(1);
    spin_self *self = world_start();
    int peer = peer_accept(listener, 1, 0);
    spin_call *first = world_connection(self);
    host_await(first, "connected again\n");
    host_cancel(first);
    spin_call *connection = world_connection(self), *call = world_subscribe(self, "a", 2);
    peer_grant(peer, &packet, 2);
    peer_publish(peer, "a", "old", 2, 0, 1);
    check("it is received", peer_read(peer, 0x50, &packet) == 1);
    spin_call *publish = world_publish(self, "b", "mine", 1);
    peer_read(peer, 0x30, &packet);
    close(peer);
    peer = peer_accept(listener, 0, 0);
    check("the client leaves in order", peer_is_left(peer, &packet));
    close(peer);
    peer = peer_accept(listener, 1, 0);
    peer_grant(peer, &packet, 2);
    check("its message goes out", peer_read(peer, 0x30, &packet) == 1 && packet.body[2] == 'b');
    peer_answer(peer, 0x40, packet.body[3] << 8 | packet.body[4]);
    expect("its call ends", host_ended(publish), "");
    peer_publish(peer, "a", "new", 2, 0, 1);
    complete(peer, 1);
    expect("the new one comes", host_await(call, "q2\n"), "a new q2\n");
    expect("the states", host_await(connection, "\nconnected\n"),
           "connected again\ndisconnected the broker has closed the connection\nconnected\n");
    host_cancel(connection);
    host_cancel(call);
    world_leave(self, peer);
    world_keep_session(0);
}

// A message of a session that the broker has lost. The loop had no room for it, so the next instance gets it.
void test_kept_messages(int listener) {
    world_keep_session(1);
    spin_self *self = world_start();
    int peer = peer_accept(listener, 1, 0);
    spin_call *call = world_subscribe(self, "a", 1);
    peer_grant(peer, &packet, 1);
    host_set_room(call, 0);
    peer_publish(peer, "a", "kept", 1, 0, 1);
    host_await_room(call);
    // The client reads nothing, so a mere end of the stream would not be seen.
    const struct linger reset = {1, 0};
    check("the connection is reset", setsockopt(peer, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) == 0);
    close(peer);
    peer = peer_accept(listener, 0, 0);
    check("the client leaves in order", peer_is_left(peer, &packet));
    close(peer);
    peer = peer_accept(listener, 1, 0);
    world_await_connection(self);
    host_cancel(call);
    pthread_t thread;
    world_begin_stop(self, &thread);
    peer_answer(peer, 0xb0, peer_read(peer, 0xa0, &packet));
    check("it leaves again", peer_is_left(peer, &packet));
    close(peer);
    pthread_join(thread, NULL);
    spin_self *next = world_take_over(self);
    world_destroy(self);
    peer = peer_accept(listener, 1, 0);
    call = world_subscribe(next, "a", 1);
    peer_grant(peer, &packet, 1);
    expect("it comes", host_await(call, "q1\n"), "a kept q1\n");
    host_cancel(call);
    world_leave(next, peer);
    world_keep_session(0);
}
