// What a server sends, whole, in parts, damaged, and more than a loop has room for.
#include "../parts.h"
#include "scene.h"
#include "wire/message.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char ticket[PEER_TICKET];

static spin_call *subscribe(spin_self *self, const char *subject) {
    spin_call *call = call_subscribe(self, subject, "");
    peer_take_ticket(peer, subject, ticket);
    return call;
}

// Formats a frame, in which each `@` is the number of the subscription.
static void send_frame(const char *frame, int in_parts) {
    for (const char *next = frame; *next; next++) {
        if (*next == '@')
            peer_send(peer, ticket);
        else
            peer_send_bytes(peer, next, 1);
        if (in_parts)
            usleep(0); // Another thread may read the part.
    }
}

void test_frames(void) {
    listen_once();
    spin_self *self = connect_once();
    spin_call *call = subscribe(self, "a.>");
    static const char frames[] =
        "MSG a.b @ 3\r\none\r\n"
        "+OK\r\n"
        "msg\ta.b \t@ back.x 0\r\n\r\n"
        "HMSG a.c @ 36 39\r\nNATS/1.0\r\nA: b\r\nC:d e \r\nE:\r\nnone\r\n\r\ntwo\r\n"
        "HMSG a.c @ back 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"
        "MSG a.b 999 4\r\nlost\r\n"
        "INFO {\"max_payload\":1024,\"nested\":{\"a\":[1,\"}\\\"\"]},\"ldm\":true}\r\n"
        "MSG a.\xff @ 4\r\nlast\r\n";
    send_frame(frames, 1);
    static const char found[] = "a.b one\na.b to back.x \na.c [A=b] [C=d e] [E=] two\na.c to back \n"
                                "a.\xef\xbf\xbd last\n";
    expect("each message comes", host_await(call, "last\n"), found);
    host_cancel(call);
    peer_expect(peer, "UNSUB ");
    finish(self);
}

// A frame that is not valid ends the connection. Its message, and what follows, do not come.
void test_damage(void) {
    static const char *const frames[] = {
        "MSG a @ 3\r\nabcd\r\n",
        "MSG a @\r\n",
        "MSG a @ x\r\n",
        "MSG a @ -1\r\n",
        "MSG a @ 99999999999999999999\r\n",
        "MSG a @ 999999999999\r\n",
        "MSG a x 1\r\n",
        "MSG a @ b c d 1\r\n",
        "HMSG a @ 5 4\r\n",
        "HMSG a @ 5\r\n",
        "PONG\r\n",
        "WHAT\r\n",
        "\r\n",
    };
    listen_once();
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        spin_self *self = make();
        peer = peer_accept(listener);
        spin_call *connection = call_connection(self), *call = subscribe(self, "a");
        send_frame(frames[i], 0);
        host_await(connection, strcmp(frames[i], "PONG\r\n") == 0
                                   ? "disconnected the server has sent an answer to nothing\n"
                                   : "disconnected what the server sends is not NATS\n");
        peer_end(peer);
        host_cancel(connection);
        host_cancel(call);
        expect("nothing has come", host_ended(call), "");
        end(self);
    }
    // A line without an end.
    spin_self *self = connect_once();
    spin_call *connection = call_connection(self);
    host_await(connection, "connected\n");
    static char line[(1 << 18) + 65536];
    memset(line, 'x', sizeof line);
    peer_send_bytes(peer, line, sizeof line);
    host_await(connection, "disconnected what the server sends is not NATS\n");
    host_cancel(connection);
    finish(self);
}

static void publish_numbers(int from, int to) {
    char number[16];
    for (int i = from; i <= to; i++) {
        snprintf(number, sizeof number, "%d", i);
        peer_message(peer, "count", ticket, "", number);
    }
}

// A loop without room: messages are held up to a limit, and others hear of theirs. Dropped ones are reported in order.
void test_room(void) {
    listen_once();
    config.most_held = 10;
    spin_self *self = connect_once();
    spin_call *free = subscribe(self, "free"), *full = host_call("run");
    char free_ticket[PEER_TICKET];
    memcpy(free_ticket, ticket, sizeof ticket);
    host_set_room(full, 1);
    subscribe_with(self, full, "count");
    peer_take_ticket(peer, "count", ticket);
    begin_count();
    publish_numbers(1, 20);
    peer_message(peer, "free", free_ticket, "", "still here");
    host_await(free, "still here\n");
    check("the first has come", counted() == 1);
    host_set_room(full, 5);
    host_await_room(full);
    check("as many as there is room for", counted() == 6);
    publish_numbers(21, 24);
    peer_message(peer, "free", free_ticket, "", "and here");
    host_await(free, "and here\n");
    host_set_room(full, -1);
    check("nine are missing, and the others were held or emitted", end_count(24) == 9);
    host_cancel(full);
    peer_expect(peer, "UNSUB ");
    // A call that is cancelled while it holds messages.
    full = host_call("run");
    host_set_room(full, 0);
    subscribe_with(self, full, "count");
    peer_take_ticket(peer, "count", ticket);
    publish_numbers(1, 3);
    host_await_room(full);
    host_cancel(full);
    peer_expect(peer, "UNSUB ");
    host_cancel(free);
    peer_expect(peer, "UNSUB ");
    finish(self);
}

// The largest message comes, and a larger one is dropped without memory for it.
void test_large(void) {
    enum { size = 5 << 20 };
    char *data = malloc(size), head[128];
    memset(data, 'x', size);
    listen_once();
    config.largest_message = size;
    spin_self *self = connect_once();
    spin_call *call = subscribe(self, "a");
    for (int more = 0; more < 2; more++) {
        snprintf(head, sizeof head, "MSG a %s %d\r\n", ticket, size + more);
        peer_send(peer, head);
        peer_send_bytes(peer, data, size);
        peer_send(peer, more ? "x\r\n" : "\r\n");
    }
    peer_message(peer, "a", ticket, "", "small");
    expect("the largest", host_await(call, "small\n"), "a 5242880 bytes\nmissed 1\na small\n");
    host_cancel(call);
    finish(self);
    free(data);
}

// Many headers are all there, and the memory for them does not stay.
void test_many_headers(void) {
    enum { many = 100000 };
    static const char version[] = "NATS/1.0\r\n";
    struct scratch scratch = {0};
    spin_list_nats_header headers;
    size_t size = sizeof version - 1 + 2 * many;
    char *text = malloc(size);
    memcpy(text, version, sizeof version - 1);
    for (size_t at = sizeof version - 1; at < size; at += 2)
        memcpy(text + at, ":\n", 2);
    const struct message large = {.header = {text, size}},
                         small = {.header = TEXT("NATS/1.0\r\nA: b\r\n\r\n")};
    check("there is memory", message_headers(&large, &scratch, &headers));
    check("all headers are there", headers.count == many);
    scratch_trim(&scratch);
    check("nothing has stayed", !scratch.headers);
    check("there is memory", message_headers(&small, &scratch, &headers));
    scratch_trim(&scratch);
    check("the memory for a few stays", scratch.headers && headers.count == 1);
    scratch_free(&scratch);
    free(text);
}
