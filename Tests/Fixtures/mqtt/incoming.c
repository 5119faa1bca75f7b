// Messages that come: subscriptions, and loops without room.
#include "../plugin-host/host.h"
#include "client.h"
#include "parts.h"
#include "peer.h"
#include "world.h"
#include <sys/socket.h>

static struct packet packet;

// Each call gets what its filter matches, and the broker hears of a filter as long as there is a call.
void test_subscriptions(int listener) {
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
    world_leave(self, peer);
}

// Without room in a mailbox, nothing is acknowledged and nothing more is read. Other calls hear of the message.
void test_room(int listener) {
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
    world_settle(self); // The thread writes before it answers.
    check("no other one is", recv(peer, packet.body, 1, MSG_DONTWAIT) < 0);
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
    world_leave(self, peer);
}

// A message that comes after the end of its call, and a later call that wants the next one.
static void pass_late_message(spin_self *self, int peer) {
    spin_call *call = world_subscribe(self, "a", 0);
    peer_grant(peer, &packet, 0);
    peer_publish(peer, "a", "late", 0, 0, 0);
    host_await(call, "q0\n");
    host_cancel(call);
    world_settle(self);
    peer_publish(peer, "a", "later", 0, 0, 0);
    world_settle(self); // The thread reads before the second answer at the latest.
    world_settle(self);
    if (!world_config.keeps_session)
        peer_read(peer, 0xa0, &packet);
    call = world_subscribe(self, "a", 0);
    peer_grant(peer, &packet, 0);
    peer_publish(peer, "a", "new", 0, 0, 0);
    expect("a message that may be lost waits for no call", host_await(call, "new q0\n"), "a new q0\n");
    host_cancel(call);
}

// Messages of a cancelled call do not hold up others.
void test_cancelled(int listener) {
    spin_self *self = world_start();
    int peer = peer_accept(listener, 0, 0);
    pass_late_message(self, peer);
    peer_read(peer, 0xa0, &packet);
    world_leave(self, peer);
}

// In a session such a message waits for a second, if it is not of QoS 0.
void test_cancelled_session(int listener) {
    world_keep_session(1);
    spin_self *self = world_start();
    int peer = peer_accept(listener, 1, 0);
    pass_late_message(self, peer);
    spin_call *call = world_subscribe(self, "b", 1);
    peer_grant(peer, &packet, 1);
    host_cancel(call);
    peer_publish(peer, "b", "1", 1, 0, 1);
    call = world_subscribe(self, "b", 1);
    for (int i = 0; i < 2; i++) // The call may come before the message.
        if (peer_next(peer) == 0x40)
            check("it is acknowledged", peer_read(peer, 0x40, &packet) == 1);
        else
            peer_grant(peer, &packet, 1);
    expect("a call that is made again gets it", host_await(call, "q1\n"), "b 1 q1\n");
    spin_call *connection = world_connection(self);
    host_cancel(call);
    world_settle(self);
    peer_publish(peer, "b", "2", 1, 0, 2);
    check("it waits a second", peer_read(peer, 0x40, &packet) == 2);
    call = world_publish(self, "c", "", 0);
    peer_read(peer, 0x30, &packet);
    expect("another call is served before the subscription ends", host_ended(call), "");
    host_cancel(connection);
    world_leave(self, peer);
    world_keep_session(0);
}
