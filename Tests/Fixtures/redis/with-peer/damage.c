// Answers that cannot be read, or are too large.
#include "peer.h"
#include "../world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOST "-130 the connection was lost before the answer, and the server may have done it: "
static const char not_valid[] = LOST "the server has sent bytes that are not valid";
static const char too_large[] = LOST "an answer is larger than 1048576 bytes (setting `largest_answer`)";
static const char too_long[] = LOST "the server has sent a line that is too long";
static const char too_deep[] = LOST "the server has sent lists that nest too deep";

/* The bytes that a peer sends, which may be repeated, and how the command fails. */
struct damage {
    const char *start, *more;
    int count;
    const char *reason;
};

static void send_damage(int peer, const struct damage *damage) {
    size_t size = strlen(damage->start), piece = strlen(damage->more);
    char *bytes = malloc(size + piece * (size_t)damage->count + 1), *next = bytes;
    check("there is memory", bytes != NULL);
    memcpy(next, damage->start, size);
    next += size;
    for (int i = 0; i < damage->count; i++, next += piece)
        memcpy(next, damage->more, piece);
    peer_send(peer, bytes, (size_t)(next - bytes));
    free(bytes);
}

static void test_bytes(int listener) {
    static const struct damage all[] = {
        {"hello\r\n", "", 0, not_valid},
        {":abc\r\n", "", 0, not_valid},
        {"$-2\r\n", "", 0, not_valid},
        {"*-5\r\n", "", 0, not_valid},
        {"*99999999999\r\n", "", 0, not_valid},
        {"$99999999999999999999\r\n", "", 0, not_valid},
        {"", "*1\r\n", 8, too_deep},
        {"+", "a", 100000, too_long},
        {"$", "1", 100, too_long},
        {"*", "1", 100000, too_long},
        {"$1000000000\r\n", "0123456789", 120000, too_large},
        {"*1000000000\r\n", ":1\r\n", 20000, too_large},
        {"*1000000000\r\n", "*0\r\n", 20000, too_large},
    };
    spin_self *self = make_for(listener);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        spin_call *call = call_command(self, "GET a", NULL);
        int peer = peer_greet(listener);
        peer_hear(peer, "GET a");
        send_damage(peer, &all[i]);
        expect("it fails", host_ended(call), all[i].reason);
        peer_end(peer);
        pass(self, config.reconnect_most);
    }
    end(self);
}

// Values that only RESP3 has. hiredis 0.14 does not know them; later versions do.
static void test_other_protocol(int listener) {
    static const char *const all[] = {"%1\r\n+a\r\n:1\r\n", "#t\r\n", ",1.5\r\n",       "~1\r\n:1\r\n",
                                      ">1\r\n+a\r\n",       "(1\r\n", "=5\r\ntxt:a\r\n"};
    spin_self *self = make_for(listener);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        spin_call *call = call_command(self, "GET a", NULL);
        int peer = peer_greet(listener);
        peer_hear(peer, "GET a");
        peer_say(peer, all[i]);
        const char *reason = host_ended(call);
        check("it fails", strcmp(reason, not_valid) == 0 || strstr(reason, "was not asked for"));
        peer_end(peer);
        pass(self, config.reconnect_most);
    }
    end(self);
}

// An answer in single bytes is whole; half an answer is not.
static void test_parts(int listener) {
    static const char whole[] = "*3\r\n$3\r\na\r\n\r\n:-1\r\n$-1\r\n";
    spin_self *self = make_for(listener);
    spin_call *call = call_command(self, "GET a", NULL);
    int peer = peer_greet(listener);
    peer_hear(peer, "GET a");
    for (size_t i = 0; i < sizeof whole - 1; i++)
        peer_send(peer, whole + i, 1);
    expect("it is whole", host_ended(call), "list of 3 `a\r\n` -1 null of 0\n");
    call = call_command(self, "GET b", NULL);
    peer_hear(peer, "GET b");
    peer_say(peer, "$5\r\nhel");
    close(peer);
    expect("it is not whole", host_ended(call), LOST "the server has closed the connection");
    pass(self, config.reconnect_most);
    peer = peer_greet(listener);
    call = call_command(self, "GET c", NULL);
    peer_hear(peer, "GET c");
    peer_say(peer, ":1\r\n:2\r\n");
    expect("the first answer is its", host_ended(call), "1\n");
    peer_end(peer);
    settle(self);
    expect("the second one is nobody's", host_ended(call_command(self, "GET d", NULL)),
           "-129 there is no connection: the server has sent an answer that nobody has asked for");
    end(self);
}

// Strange answers to a subscription.
static void test_subscriptions(int listener) {
    static const char *const all[] = {"+OK\r\n",
                                      ":1\r\n",
                                      "*0\r\n",
                                      "*1\r\n:1\r\n",
                                      "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n$1\r\nx\r\n",
                                      "*3\r\n$7\r\nmessage\r\n*0\r\n$1\r\nx\r\n",
                                      "*2\r\n$4\r\npong\r\n$0\r\n\r\n"};
    spin_self *self = make_for(listener);
    spin_call *call = call_subscribe(self, "a", "");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int peer = peer_greet(listener);
        peer_hear(peer, "SUBSCRIBE a");
        peer_say(peer, all[i]);
        peer_end(peer);
        pass(self, config.reconnect_most);
    }
    int peer = peer_greet(listener);
    peer_hear(peer, "SUBSCRIBE a");
    peer_say(peer, "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
    expect("the same reason comes once", host_await(call, "subscribed\n"),
           "lost: the server has sent an answer that nobody has asked for\nsubscribed\n");
    host_cancel(call);
    peer_end(peer);
    end(self);
}

void test_damage(int listener, int port) {
    reset_config(port);
    test_bytes(listener);
    test_other_protocol(listener);
    test_parts(listener);
    test_subscriptions(listener);
}
