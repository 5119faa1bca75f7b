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
