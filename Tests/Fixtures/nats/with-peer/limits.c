// Calls that send something, at the limits of numbers, sizes and time.
#include "../parts.h"
#include "scene.h"
#include <string.h>

// Limits of numbers, time, the server and the room of a loop.
void test_limits(void) {
    listen_once();
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
    listen_once();
    spin_self *self = connect_once();
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
    listen_once();
    config.largest_message = 8;
    spin_self *self = connect_once();
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
