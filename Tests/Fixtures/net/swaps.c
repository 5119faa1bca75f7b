// What an instance hands over to the next one, of this process or another.
#include "world.h"
#include "../common/process.h"
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Connections, the beginning of a frame, and a frame that is sent in part.
static void test_swap(void) {
    static char bytes[16 << 20];
    reset_config();
    config.most_unsent = sizeof bytes + 1;
    memset(bytes, 'a', sizeof bytes);
    char address[64];
    int listener = offer(address);
    spin_self *self = make();
    spin_call *served = call_listen(self, "tcp:127.0.0.1:0", "lines", "listen");
    forget_connections();
    host_await(served, "listening\n");
    spin_call *connected = call_connect(self, address, "lines", "connect");
    int server = answer(listener), peer = dial(), slow = dial();
    say(peer, "one\ntw", 6);
    host_await(served, "one\n");
    host_await(connected, "connected\n");
    say(server, "thr", 3);
    spin_call *sent = call_send(self, connection(1), bytes, sizeof bytes, "send");
    struct pollfd found = {.fd = slow, .events = POLLIN};
    check("a part is sent", poll(&found, 1, -1) == 1);
    host_cancel(sent);
    host_cancel(connected);
    host_cancel(served);
    stop(self);
    say(peer, "o\n", 2);
    int late = dial();
    spin_self *next = take_over(self);
    start(next);
    destroy(self);
    served = call_listen(next, "tcp:127.0.0.1:0", "lines", "listen");
    connected = call_connect(next, address, "lines", "connect");
    say(server, "ee\n", 3);
    expect("no byte is lost", host_await(connected, "three\n"), "frame 0 three = three\n");
    say(late, "late\n", 5);
    const char *heard = host_await(served, "late\n");
    check("the connection continues", strstr(heard, "frame 0 two = two\n") != NULL);
    check("no peer was refused", strstr(heard, "opened 2\n") != NULL && strstr(heard, "opened 0") == NULL);
    sent = call_send(next, connection(1), bytes, sizeof bytes, "send");
    hear(slow, bytes, sizeof bytes);
    hear(slow, "\n", 1);
    expect("each byte is sent once", host_ended(sent), "");
    expect("the name stays", host_ended(call_send(next, connection(0), "yes", 3, NULL)), "");
    hear(peer, "yes\n", 4);
    expect("also that of a connection", host_ended(call_send(next, address, "yes", 3, NULL)), "");
    hear(server, "yes\n", 4);
    // The loop ends one of them: the old version's copy does not keep it open.
    self = next;
    host_cancel(served);
    host_cancel(connected);
    stop(self);
    next = take_over(self);
    start(next);
    served = call_listen(next, "tcp:127.0.0.1:0", "lines", "listen");
    expect("it is closed", host_ended(call_close(next, connection(0))), "");
    hear_end(peer);
    host_await(served, "closed 0: the app has closed it\n");
    // Nobody makes the other call again.
    pass(next, 5 * SECOND);
    hear_end(server);
    destroy(self);
    host_cancel(served);
    stop(next);
    destroy(next);
    hear_end(slow);
    hear_end(late);
    close(listener);
}

// The connections of two calls, whose numbers take turns.
static void test_two_calls(void) {
    enum { count = 6 };
    reset_config();
    spin_self *self = make();
    spin_call *calls[2];
    char addresses[2][64], opened[32];
    int peers[count];
    forget_connections();
    for (int i = 0; i < 2; i++) {
        calls[i] = call_listen(self, i ? "tcp:127.0.0.1:0" : "tcp:[::1]:0", "lines", i ? "one" : "two");
        host_await(calls[i], "listening\n");
        snprintf(addresses[i], sizeof *addresses, "%s", heard_address());
    }
    for (int i = 0; i < count; i++) {
        peers[i] = dial_to(addresses[i % 2]);
        snprintf(opened, sizeof opened, "opened %d\n", i);
        host_await(calls[i % 2], opened);
    }
    for (int i = 0; i < 2; i++)
        host_cancel(calls[i]);
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    destroy(self);
    for (int i = 0; i < count; i++) {
        expect("each one has its name", host_ended(call_send(next, connection(i), connection(i), 8, NULL)),
               "");
        hear(peers[i], connection(i), 8);
        close(peers[i]);
    }
    stop(next);
    destroy(next);
}

// An end that the loop did not hear of, as it had no room.
static void test_untold(void) {
    reset_config();
    spin_self *self = make();
    int peer;
    spin_call *call = serve_one(self, &peer);
    host_set_room(call, 1);
    say(peer, "one\ntwo\nrest", 12);
    host_await_room(call);
    reset(peer);
    settle(self);
    host_cancel(call);
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    destroy(self);
    call = call_listen(next, "tcp:127.0.0.1:0", "lines", "listen");
    expect("the loop hears of it later", host_await(call, "peer\n"),
           "frame 0 two = two\ndamaged 4: the connection was closed before its end\n"
           "closed 0: Connection reset by peer\n");
    host_cancel(call);
    stop(next);
    destroy(next);
}

static void test_strange_state(void) {
    reset_config();
    spin_self *self = make();
    int peer;
    spin_call *call = serve_one(self, &peer);
    host_cancel(call);
    stop(self);
    destroy(take_over(self));
    for (size_t size = 0; size < saved_size; size += 61) {
        spin_self *next = create();
        check("it refuses what is too short", restore(next, saved_bytes, size) != SPIN_OK);
        destroy(next);
    }
    spin_self *next = create();
    saved_bytes[saved_size] = 0;
    check("it refuses what is too long", restore(next, saved_bytes, saved_size + 1) != SPIN_OK);
    destroy(next);
    // After a restart a process can have the number of the one before, as in a container.
    static const size_t changed[] = {offsetof(struct process, number), offsetof(struct process, start),
                                     offsetof(struct process, boot)};
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        char *byte = &saved_bytes[8 + changed[i]];
        next = create();
        *byte ^= 1;
        check("it begins afresh", restore(next, saved_bytes, saved_size) == SPIN_OK);
        *byte ^= 1;
        start(next);
        expect("it knows no connection", host_ended(call_send(next, connection(0), "a", 1, NULL)),
               "-128 no such connection is open");
        stop(next);
        destroy(next);
    }
    destroy(self);
    hear_end(peer);
}

void test_swaps(void) {
    test_swap();
    test_two_calls();
    test_untold();
    test_strange_state();
}
