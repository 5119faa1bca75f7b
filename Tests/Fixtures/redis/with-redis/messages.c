// Messages, with Redis.
#include "server.h"
#include "../world.h"
#include "../../plugin-host/threads.h"
#include <stdio.h>
#include <string.h>

static void test_channels(void) {
    spin_self *self = make();
    spin_call *one = call_subscribe(self, "a b", ""), *other = call_subscribe(self, "a", "b* c?");
    expect("it subscribes", host_await(one, "subscribed\n"), "subscribed\n");
    host_await(other, "subscribed\n");
    ask("PUBLISH a 1", "2");
    ask("PUBLISH b 2", "2");
    ask("PUBLISH cx 3", "1");
    ask("PUBLISH c 4", "0");
    expect("channels", host_await(one, "b: 2\n"), "subscribed\na: 1\nb: 2\n");
    expect("patterns", host_await(other, "cx by c?: 3\n"), "subscribed\na: 1\nb by b*: 2\ncx by c?: 3\n");
    host_cancel(one);
    settle(self);
    while (strcmp(answer_to("PUBSUB NUMSUB a b"), "a 1 b 0") != 0)
        ; // The server has not heard of the end yet.
    expect("there is something to subscribe to", host_ended(call_subscribe(self, "", "")),
           "-5 there is neither a channel nor a pattern");
    host_cancel(other);
    end(self);
}

static void test_right(void) {
    ask("ACL SETUSER shy on >horse ~* resetchannels &a +subscribe +ping", "OK");
    set_text(&config.user, "shy");
    set_text(&config.password, "horse");
    spin_self *self = make();
    expect("a channel is refused", host_ended(call_subscribe(self, "b", "")),
           "-128 NOPERM this user has no permissions to access one of the channels used as arguments");
    spin_call *call = call_subscribe(self, "a", "");
    expect("another one is not", host_await(call, "subscribed\n"), "subscribed\n");
    host_cancel(call);
    end(self);
    reset_config(server_port());
}

enum { many = 20000 };

// A mailbox is full again and again. The server keeps what the loop has no room for.
static void test_many(void) {
    spin_self *self = make();
    spin_call *call = host_call("run"), *idle = call_subscribe(self, "idle", "");
    host_set_room(call, 1);
    subscribe_with(self, call, "many", "");
    host_await(call, "subscribed\n");
    struct room_giver giver;
    room_giver_begin(&giver, call, 100, many / 100);
    for (int i = 1; i <= many; i++) {
        char script[128];
        snprintf(script, sizeof script,
                 "EVAL return(redis.call('PUBLISH','many','count'..string.char(32)..%d)) 0", i);
        ask(script, "1");
    }
    await_count(many);
    ask("PUBLISH idle x", "1");
    expect("another one is not held up", host_await(idle, "x\n"), "subscribed\nidle: x\n");
    host_cancel(call);
    room_giver_end(&giver);
    host_cancel(idle);
    end(self);
}

void test_messages(void) {
    reset_config(server_port());
    test_channels();
    test_right();
    test_many();
}
