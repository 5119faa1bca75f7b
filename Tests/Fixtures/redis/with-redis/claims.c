// Entries of consumers that do not acknowledge them, with Redis.
#include "server.h"
#include "../world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often the server has given an entry to a consumer. */
static int deliveries(const char *id) {
    char command[64];
    snprintf(command, sizeof command, "XPENDING s group %s %s 1", id, id);
    const char *last = strrchr(answer_to(command), ' ');
    return last ? atoi(last) : 0;
}

static void test_dead(void) {
    ask("XGROUP CREATE s group 0 MKSTREAM", "OK");
    ask("XADD s 1-1 f v", "1-1");
    ask("XREADGROUP GROUP group dead COUNT 2 STREAMS s >", "s 1-1 f v");
    ask("XCLAIM s group dead 0 1-1 IDLE 3600000 JUSTID", "1-1");
    spin_self *self = make();
    spin_call *call = call_read(self, "s", "me", 0, NULL);
    expect("an old one is claimed", host_await(call, "again\n"), "1-1 f=v again\n");
    // At once, so that this consumer does not get it as a new one.
    ask("EVAL redis.call('XADD','s','2-1','f','v')"
        "redis.call('XREADGROUP','GROUP','group','dead','STREAMS','s','>')"
        "redis.call('XCLAIM','s','group','dead',0,'2-1','IDLE',3600000) 0",
        "null");
    int before = deliveries("2-1");
    while (deliveries("2-1") == before)
        host_advance(config.claim_after);
    expect("so is another one later", host_await(call, "2-1 f=v again\n"), "1-1 f=v again\n2-1 f=v again\n");
    // This consumer claims its own entries, too. They do not come twice.
    ask("XCLAIM s group me 0 1-1 IDLE 3600000 JUSTID", "1-1");
    before = deliveries("1-1");
    while (deliveries("1-1") == before)
        host_advance(config.claim_after);
    ask("XADD s 3-1 f v", "3-1");
    expect("it does not come again", host_await(call, "3-1 f=v\n"),
           "1-1 f=v again\n2-1 f=v again\n3-1 f=v\n");
    for (int i = 1; i <= 3; i++) {
        char id[8];
        snprintf(id, sizeof id, "%d-1", i);
        expect("it is acknowledged", host_ended(call_acknowledge(self, "s", id, NULL)), "");
    }
    ask("XPENDING s group", "0 null null null");
    host_cancel(call);
    end(self);
    ask("DEL s", "1");
}

// More than one answer has, with room for few.
static void test_many(void) {
    ask("XGROUP CREATE s group 0 MKSTREAM", "OK");
    ask("EVAL for\ti=1,1000\tdo\tredis.call('XADD','s',i..'-0','f','count\\032'..i)\tend 0", "null");
    answer_to("XREADGROUP GROUP group dead STREAMS s >");
    ask("EVAL for\ti=1,1000\tdo\tredis.call('XCLAIM','s','group','dead',0,i..'-0','IDLE',3600000)\tend 0",
        "null");
    config.most_in_work = 7;
    spin_self *self = make();
    spin_call *call = call_read(self, "s", "me", 1, NULL);
    await_count(1000);
    while (strcmp(answer_to("XPENDING s group"), "0 null null null") != 0)
        ; // The last acknowledgement is on its way.
    host_cancel(call);
    end(self);
    ask("DEL s", "1");
}

void test_claims(void) {
    reset_config(server_port());
    config.answer_timeout = FOREVER; // Time passes until the server has done something.
    config.claim_after = SECOND / 10;
    test_dead();
    test_many();
}
