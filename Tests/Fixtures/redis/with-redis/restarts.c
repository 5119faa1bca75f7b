// A server that is killed and begins again.
#include "server.h"
#include "../world.h"
#include <string.h>

void test_restarts(void) {
    reset_config(server_port());
    spin_self *self = make();
    spin_call *messages = call_subscribe(self, "a", ""), *entries = call_read(self, "s", "me", 0, NULL);
    expect("a command", host_ended(call_command(self, "SET key 1", NULL)), "`OK`\n");
    host_await(messages, "subscribed\n");
    ask("XADD s 1-1 f v", "1-1");
    host_await(entries, "1-1 f=v\n");
    server_kill();
    host_await(messages, "connection\n");
    settle(self);
    expect("a command fails", host_ended(call_command(self, "SET key 2", NULL)),
           "-129 there is no connection: the server has closed the connection");
    pass(self, config.reconnect_most);
    expect("its reason changes", host_ended(call_command(self, "SET key 2", NULL)),
           "-129 there is no connection: cannot connect: Connection refused");
    spin_call *waits = call_acknowledge(self, "s", "1-1", NULL);
    settle(self);
    server_begin_again();
    pass(self, config.reconnect_most);
    host_await(messages, "subscribed\n");
    expect("the acknowledgement has waited", host_ended(waits), "");
    expect("a command works", host_ended(call_command(self, "GET key", NULL)), "`1` = 1\n");
    ask("XADD s 2-1 f v", "2-1");
    expect("what was in work does not come again", host_await(entries, "2-1 f=v\n"), "1-1 f=v\n2-1 f=v\n");
    ask("PUBLISH a x", "1");
    expect(
        "messages come", host_await(messages, "x\n"),
        "subscribed\nlost: the server has closed the connection\nlost: cannot connect: Connection refused\n"
        "subscribed\na: x\n");
    ask("XPENDING s group", "1 2-1 2-1 me 1");
    host_cancel(messages);
    host_cancel(entries);
    end(self);
}
