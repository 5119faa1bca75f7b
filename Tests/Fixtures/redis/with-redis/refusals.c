// A Redis that refuses for a time.
#include "server.h"
#include "../world.h"
#include <string.h>

static const char replica[] = "-129 there is no connection: the server is a replica, which takes no changes";
static const char no_master[] =
    "-129 there is no connection: the server is a replica without a link to its master";

static void test_replica(void) {
    spin_self *self = make();
    expect("it is a master", host_ended(call_command(self, "SET a 1", NULL)), "`OK`\n");
    ask("REPLICAOF 127.0.0.1 1", "OK");
    expect("it is a replica", host_ended(call_command(self, "SET a 2", NULL)),
           "-128 READONLY You can't write against a read only replica.");
    settle(self);
    expect("the plugin has left it", host_ended(call_command(self, "SET a 3", NULL)), replica);
    ask("CONFIG SET replica-serve-stale-data no", "OK");
    pass(self, config.reconnect_most);
    expect("it is not accepted again", host_ended(call_command(self, "GET a", NULL)), no_master);
    ask("REPLICAOF NO ONE", "OK");
    ask("CONFIG SET replica-serve-stale-data yes", "OK");
    pass(self, config.reconnect_most);
    expect("it is a master again", host_ended(call_command(self, "GET a", NULL)), "`1` = 1\n");
    end(self);
}

// The server takes no changes, so it neither gives entries nor takes acknowledgements.
static void test_no_replicas(void) {
    config.answer_timeout = FOREVER; // Time passes until the server has done something.
    spin_self *self = make();
    ask("XADD s 1-1 f v", "1-1");
    spin_call *call = call_read(self, "s", "me", 0, NULL);
    host_await(call, "1-1 f=v\n");
    ask("XADD t 1-1 f v", "1-1");
    ask("CONFIG SET min-replicas-to-write 1", "OK");
    expect("an acknowledgement is refused", host_ended(call_acknowledge(self, "s", "1-1", NULL)),
           "-128 NOREPLICAS Not enough good replicas to write.");
    spin_call *other = call_read(self, "t", "me", 0, NULL);
    settle(self);
    ask("CONFIG SET min-replicas-to-write 0", "OK");
    spin_call *again = call_acknowledge(self, "s", "1-1", NULL);
    while (!test_host.cancelled(again))
        host_advance(SECOND);
    expect("it is not lost", host_ended(again), "");
    ask("XPENDING s group", "0 null null null");
    while (!strchr(host_await(other, ""), '\n'))
        host_advance(SECOND);
    expect("the other stream is read", host_await(other, "\n"), "1-1 f=v\n");
    host_cancel(call);
    host_cancel(other);
    end(self);
    ask("DEL s t", "2");
}

void test_refusals_of_server(void) {
    reset_config(server_port());
    test_replica();
    test_no_replicas();
}
