// Datagrams in both directions, those that are too long, and a loop without room.
#include "faults.h"
#include "world.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// A call of `receive` whose socket is there, and its address.
static spin_call *receive(spin_self *self, const char *place, char address[512]) {
    spin_call *call = call_receive(self, place, NULL);
    host_await(call, "listening\n");
    snprintf(address, 512, "%s", heard_address());
    return call;
}

static void test_answers(const char *first, const char *second) {
    reset_config();
    spin_self *self = make();
    char address[512];
    spin_call *one = receive(self, first, address);
    // From the socket of any address, an address of this machine is meant.
    char *any = strstr(address, "[::]");
    if (any) {
        char port[16];
        snprintf(port, sizeof port, "%s", strrchr(address, ':') + 1);
        snprintf(address, sizeof address, "udp:127.0.0.1:%s", port);
    }
    spin_call *two = call_receive(self, second, NULL);
    host_await(two, "listening\n");
    expect("it sends", host_ended(call_send_to(self, second, address, "question", 8)), "");
    expect("it comes", host_await(one, "question\n"), "listening\ndatagram question\n");
    char sender[512];
    snprintf(sender, sizeof sender, "%s", heard_sender());
    expect("it sends to the sender", host_ended(call_send_to(self, first, sender, "answer", 6)), "");
    expect("the answer comes", host_await(two, "answer\n"), "listening\ndatagram answer\n");
    expect("it sends from any socket", host_ended(call_send_to(self, "", address, "", 0)), "");
    expect("also nothing comes", host_await(one, "datagram \n"), "listening\ndatagram question\ndatagram \n");
    host_cancel(two);
    end(self, one);
}

static void test_too_long(void) {
    static char bytes[70000];
    reset_config();
    config.longest = 8;
    spin_self *self = make();
    char address[512];
    spin_call *call = receive(self, "udp:127.0.0.1:0", address);
    host_set_room(call, 0);
    expect("it sends", host_ended(call_send_to(self, "", address, bytes, 9)), "");
    host_await_room(call);
    for (int i = 0; i < 3; i++)
        expect("it sends", host_ended(call_send_to(self, "", address, &"one\0two\0six"[4 * i], 3)), "");
    host_set_room(call, 1);
    host_await_room(call);
    host_set_room(call, -1);
    expect("all come", host_await(call, "six\n"),
           "listening\ndamaged 9: it is longer than 8 bytes (setting `longest`)\ndatagram one\ndatagram two\n"
           "datagram six\n");
    expect("it sends", host_ended(call_send_to(self, "", address, "eight is", 8)), "");
    host_await(call, "datagram eight is\n");
    expect("there is a limit", host_ended(call_send_to(self, "", address, bytes, sizeof bytes)),
           "-5 cannot send: Message too long");
    expect("another socket is not there",
           host_ended(call_send_to(self, "udp:127.0.0.1:9", address, bytes, 1)),
           "-128 no call of `receive` has this address");
    end(self, call);
}

// Room that comes just when the plugin asks for it does not let later datagrams come first.
static void test_room_at_once(void) {
    static const char *const sent[] = {"one", "two", "three"};
    reset_config();
    spin_self *self = make();
    char address[512];
    spin_call *call = receive(self, "udp:127.0.0.1:0", address);
    host_set_room(call, 0);
    expect("it sends", host_ended(call_send_to(self, "", address, sent[0], strlen(sent[0]))), "");
    host_await_room(call);
    for (int i = 1; i < 3; i++)
        expect("it sends", host_ended(call_send_to(self, "", address, sent[i], strlen(sent[i]))), "");
    host_set_room_later(call, 1);
    host_set_room(call, 0); // Others have taken the room meanwhile.
    host_await_room(call);
    host_set_room(call, -1);
    expect("all come in order", host_await(call, "three\n"),
           "listening\ndatagram one\ndatagram two\ndatagram three\n");
    end(self, call);
}

// The same for an address that the loop does not know yet.
static void test_untold_address(void) {
    reset_config();
    spin_self *self = make();
    char address[512];
    spin_call *first = receive(self, "udp:127.0.0.1:0", address);
    host_cancel(first);
    pass(self, SECOND);
    spin_call *call = host_call("untold");
    host_set_room(call, 0);
    receive_with(self, call, address);
    host_await_room(call);
    expect("it sends", host_ended(call_send_to(self, "", address, "one", 3)), "");
    host_set_room_later(call, 1);
    host_set_room(call, 0);
    host_await_room(call);
    host_set_room(call, -1);
    expect("the address comes first", host_await(call, "one\n"), "listening\ndatagram one\n");
    end(self, call);
}

// Without memory a datagram is lost, and the next one comes.
static void test_no_memory(void) {
    reset_config();
    spin_self *self = make();
    char address[512];
    spin_call *call = receive(self, "udp:127.0.0.1:0", address);
    fail_allocation(1); // That of the call to send succeeds.
    expect("it sends", host_ended(call_send_to(self, "", address, "one", 3)), "");
    while (!has_failed())
        sched_yield(); // A further call would need memory itself.
    expect("it sends", host_ended(call_send_to(self, "", address, "two", 3)), "");
    expect("the next one comes", host_await(call, "two\n"), "listening\ndatagram two\n");
    end(self, call);
}

void test_datagrams(void) {
    test_answers("udp:127.0.0.1:0", "udp:127.0.0.2:0");
    test_answers("udp:[::1]:0", "udp:[::]:0");
    test_answers("udp:[::]:0", "udp:127.0.0.1:0");
    test_too_long();
    test_room_at_once();
    test_untold_address();
    test_no_memory();
}
