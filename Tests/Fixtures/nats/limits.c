// Calls that send something, at the limits of numbers, sizes and time.
#include "parts.h"
#include "peer.h"
#include "world.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int listener, port, peer;
static char reply[128];

static spin_self *begin(void) {
    listener = peer_listen(&port);
    reset_config(port);
    spin_self *self = make();
    peer = peer_accept(listener);
    return self;
}

static void finish(spin_self *self) {
    end(self);
    peer_end(peer);
    close(listener);
}

// Reads a message with a reply, `PUB SUBJECT REPLY SIZE`; its data.
static const char *take_message(const char *command) {
    snprintf(reply, sizeof reply, "%s", peer_expect(peer, command));
    *strchr(reply, ' ') = 0;
    return peer_line(peer);
}

static void answer(const char *data) { peer_message(peer, reply, "1", "", data); }

// Limits of numbers, time, the server and the room of a loop.
void test_limits(void) {
    listener = peer_listen(&port);
    reset_config(port);
    config.most_waiting = 2;
    spin_self *self = make();
    peer = peer_open(listener);
    peer_greet(peer, "INFO {\"headers\":true,\"max_payload\":8}\r\n");
    peer_expect(peer, "SUB ");
    expect("the server's limit", host_ended(call_publish(self, "a", "123456789")),
           "-5 the message has 9 bytes, and the server takes 8 at most");
    spin_call *one = call_request(self, "a", "1"), *two = call_publish(self, "a", "2");
    expect("one too many", host_ended(call_request(self, "a", "3")),
           "-2 2 calls wait already (setting `most_waiting`)");
    settle(self);
    host_advance(5 * SECOND);
    expect("no answer", host_ended(one), "-131 no answer has come (setting `request_timeout`)");
    expect("no pong", host_ended(two), "-131 the server does not say that it has the message");
    for (int lines = 0; lines < 5; lines++)
        peer_line(peer); // two messages and a ping
    peer_send(peer, "PONG\r\n");
    // An answer waits for room, and a call that is cancelled then is over.
    for (int is_cancelled = 0; is_cancelled < 2; is_cancelled++) {
        spin_call *full = call_request(self, "a", "4");
        host_set_room(full, 0);
        take_message("PUB a ");
        answer("yes");
        host_await_room(full);
        host_advance(30 * SECOND);
        if (is_cancelled)
            host_cancel(full);
        else
            host_set_room(full, -1);
        expect("its answer", host_ended(full), is_cancelled ? "" : "answer yes\n");
    }
    finish(self);
}

// A server that reads nothing. Messages that it has not taken fail in time, and the instance ends.
void test_backlog(void) {
    enum { count = 30, size = 1000000 };
    static uint8_t data[size];
    spin_call *calls[count];
    spin_self *self = begin();
    for (int i = 0; i < count; i++)
        calls[i] = call_send(self, "publish", "a", (spin_bytes){data, size}, NULL);
    settle(self);
    settle(self);
    host_advance(5 * SECOND);
    int waited = 0;
    for (int i = 0; i < count; i++) {
        const char *end = host_ended(calls[i]);
        waited += strcmp(end, "-131 the server takes no messages") == 0;
        check("it fails", strncmp(end, "-131 ", 5) == 0);
    }
    check("not all of them were given to the system", waited > 0);
    finish(self);
}

// An answer that is larger than the plugin takes.
void test_large_answer(void) {
    listener = peer_listen(&port);
    reset_config(port);
    config.largest_message = 8;
    spin_self *self = make();
    peer = peer_accept(listener);
    spin_call *large = call_request(self, "a", "1");
    take_message("PUB a ");
    answer("123456789");
    expect("it is too large", host_ended(large),
           "-128 the answer is larger than the setting `largest_message`");
    spin_call *small = call_request(self, "a", "2");
    take_message("PUB a ");
    answer("12345678");
    expect("the next one", host_ended(small), "answer 12345678\n");
    finish(self);
}
