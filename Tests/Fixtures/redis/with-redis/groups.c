// Streams, with Redis.
#include "server.h"
#include "../world.h"
#include "../../plugin-host/threads.h"
#include <stdio.h>
#include <string.h>

static const char none_pending[] = "0 null null null";

// The plugin acknowledges what the loop has taken.
static void test_own_acknowledgement(void) {
    spin_self *self = make();
    ask("XADD s 1-1 f v g w", "1-1");
    spin_call *call = call_read(self, "s", "me", 1, NULL);
    expect("the group begins with the stream", host_await(call, "1-1 f=v g=w\n"), "1-1 f=v g=w\n");
    ask("XADD s 2-1 f v", "2-1");
    expect("a new one comes", host_await(call, "2-1 f=v\n"), "1-1 f=v g=w\n2-1 f=v\n");
    while (strcmp(answer_to("XPENDING s group"), none_pending) != 0)
        ; // The server does not have the acknowledgement yet.
    expect("the consumer has one reader", host_ended(call_read(self, "s", "me", 1, NULL)),
           "-1 another call reads as this consumer already");
    spin_call *other = call_read(self, "s", "you", 1, NULL);
    settle(self);
    ask("XADD s 3-1 f v", "3-1");
    ask("XADD s 4-1 f v", "4-1");
    while (strcmp(answer_to("XINFO GROUPS s"),
                  "name group consumers 2 pending 0 last-delivered-id 4-1 entries-read 4 "
                  "lag 0") != 0)
        ; // One of both gets each.
    host_cancel(call);
    host_cancel(other);
    end(self);
    ask("DEL s", "1");
}

// The app acknowledges. The next run gets the other entries again.
static void test_acknowledgement_of_app(void) {
    spin_self *self = make();
    spin_call *call = call_read(self, "s", "me", 0, NULL);
    while (strcmp(answer_to("EXISTS s"), "1") != 0)
        ; // The plugin makes the stream.
    ask("XADD s 1-1 f v", "1-1");
    ask("XADD s 2-1 f v", "2-1");
    host_await(call, "2-1 f=v\n");
    ask("XPENDING s group", "2 1-1 2-1 me 2");
    expect("it is acknowledged", host_ended(call_acknowledge(self, "s", "1-1", NULL)), "");
    ask("XPENDING s group", "1 2-1 2-1 me 1");
    expect("once more is not a failure", host_ended(call_acknowledge(self, "s", "1-1", NULL)), "");
    host_cancel(call);
    settle(self);
    call = call_read(self, "s", "me", 0, NULL);
    expect("the other one comes again", host_await(call, "again\n"), "2-1 f=v again\n");
    host_cancel(call);
    end(self);
    await_no_reader();
    ask("XADD s 3-1 f v", "3-1");
    ask("XDEL s 2-1", "1");
    self = make();
    call = call_read(self, "s", "me", 0, NULL);
    expect("a deleted one does not", host_await(call, "3-1 f=v\n"), "3-1 f=v\n");
    while (strcmp(answer_to("XPENDING s group"), "1 3-1 3-1 me 1") != 0)
        ; // The plugin acknowledges it.
    host_cancel(call);
    end(self);
    ask("DEL s", "1");
}

static void test_failures(void) {
    spin_self *self = make();
    ask("SET text x", "OK");
    expect("it is not a stream", host_ended(call_read(self, "text", "me", 1, NULL)),
           "-128 WRONGTYPE Operation against a key holding the wrong kind of value");
    expect("nor is it for an acknowledgement", host_ended(call_acknowledge(self, "text", "1-1", NULL)),
           "-128 WRONGTYPE Operation against a key holding the wrong kind of value");
    expect("a name is not empty", host_ended(call_read(self, "s", "", 1, NULL)),
           "-5 the stream, the group, the consumer and the id must not be empty");
    spin_call *call = call_read(self, "s", "me", 0, NULL);
    ask("XADD s 1-1 f v", "1-1");
    host_await(call, "1-1 f=v\n");
    // The plugin makes the stream and its group once more. The same id is another entry then.
    ask("DEL s", "1");
    while (strcmp(answer_to("EXISTS s"), "1") != 0)
        host_advance(SECOND);
    ask("XADD s 1-1 f w", "1-1");
    expect("it reads on", host_await(call, "1-1 f=w\n"), "1-1 f=v\n1-1 f=w\n");
    ask("XGROUP DESTROY s group", "1");
    while (strcmp(answer_to("XINFO GROUPS s"), "") == 0)
        host_advance(SECOND);
    host_await(call, "1-1 f=w\n1-1 f=w\n");
    ask("DEL s", "1");
    ask("SET s x", "OK");
    while (!test_host.cancelled(call))
        host_advance(SECOND);
    expect("now it is another value", strstr(host_ended(call), "-128"),
           "-128 WRONGTYPE Operation against a key holding the wrong kind of value");
    ask("DEL s", "1");
    end(self);
}

enum { many = 20000 };

static void test_many(void) {
    spin_self *self = make();
    spin_call *call = host_call("run");
    host_set_room(call, 0);
    struct room_giver giver;
    room_giver_begin(&giver, call, 50, many / 50);
    ask("EVAL for\ti=1,20000\tdo\tredis.call('XADD','m',i..'-0','f','count\\032'..i)\tend 0", "null");
    read_with(self, call, "m", "me", 1);
    await_count(many);
    while (strcmp(answer_to("XPENDING m group"), none_pending) != 0)
        ; // The last acknowledgement is on its way.
    host_cancel(call);
    room_giver_end(&giver);
    end(self);
    ask("DEL m", "1");
}

void test_groups(void) {
    reset_config(server_port());
    config.answer_timeout = FOREVER; // Time passes until the server has done something.
    test_own_acknowledgement();
    test_acknowledgement_of_app();
    test_failures();
    test_many();
}
