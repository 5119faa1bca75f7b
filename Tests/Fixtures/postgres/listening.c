// Notifications.
#include "world.h"
#include "server.h"
#include <stdio.h>
#include <string.h>

static void test_channels(spin_self *self) {
    spin_call *one = call_listen(self, "a", -1), *quoted = call_listen(self, "We \"say\" grüß", -1);
    expect("it listens", host_await(one, "listening\n"), "listening\n");
    expect("to any name", host_await(quoted, "listening\n"), "listening\n");
    spin_call *two = call_listen(self, "a", -1);
    expect("a second call listens", host_await(two, "listening\n"), "listening\n");
    expect("it sends", host_ended(call_notify(self, "a", "1")), "");
    expect("each call has it", host_await(one, "1\n"), "listening\na=1\n");
    expect("each call has it", host_await(two, "1\n"), "listening\na=1\n");
    expect("it sends", host_ended(call_notify(self, "We \"say\" grüß", "it's \"2\"")), "");
    expect("each channel has its own", host_await(quoted, "2\"\n"),
           "listening\nWe \"say\" grüß=it's \"2\"\n");
    host_cancel(one);
    expect("it sends", host_ended(call_notify(self, "a", "")), "");
    expect("others have it", host_await(two, "a=\n"), "listening\na=1\na=\n");
    host_cancel(two);
    host_cancel(quoted);
    server_await("(SELECT count(*) FROM pg_stat_activity WHERE usename = 'ada') = 1");
    one = call_listen(self, "a", -1);
    expect("it listens again", host_await(one, "listening\n"), "listening\n");
    host_cancel(one);
    expect(
        "a name is not too long",
        host_ended(call_listen(self, "1234567890123456789012345678901234567890123456789012345678901234", 0)),
        "-5 the name of a channel has 1 to 63 bytes");
    expect("a name is not empty", host_ended(call_notify(self, "", "x")),
           "-5 the name of a channel has 1 to 63 bytes");
}

// A call that comes and goes while others stay.
static void test_leaving(spin_self *self) {
    spin_call *stays = call_listen(self, "stays", -1);
    host_await(stays, "listening\n");
    for (int i = 0; i < 20; i++) {
        spin_call *goes = call_listen(self, "goes", -1);
        if (i % 2)
            expect("it listens", host_await(goes, "listening\n"), "listening\n");
        host_cancel(goes);
    }
    spin_call *goes = call_listen(self, "goes", -1);
    host_await(goes, "listening\n");
    expect("it sends", host_ended(call_notify(self, "goes", "1")), "");
    expect("it has it", host_await(goes, "1\n"), "listening\ngoes=1\n");
    host_cancel(goes);
    host_cancel(stays);
}

static void test_room(void) {
    spin_self *self = make(); // It has no other channels, which it would still tell the server of.
    spin_call *slow = call_listen(self, "r", 1), *quick = call_listen(self, "r", -1);
    host_await(slow, "listening\n");
    host_await(quick, "listening\n");
    expect(
        "many are sent",
        execute(self, "DO $$ BEGIN FOR i IN 1 .. 300 LOOP PERFORM pg_notify('r', i::text); END LOOP; END $$"),
        "0 changes\n");
    host_await_room(slow);
    // The connection is silent only because a loop has no room.
    host_advance(config.keep_alive * 10);
    host_set_room(slow, 100);
    expect_part("the first come", host_await(slow, "r=100\n"), "listening\nr=1\nr=2\nr=3\n");
    host_await_room(slow);
    host_set_room(slow, -1);
    expect_part("the others come in their order", host_await(slow, "r=300\n"), "r=199\nr=200\nr=201\n");
    expect_part("nobody misses one", host_await(quick, "r=300\n"), "r=298\nr=299\nr=300\n");
    host_cancel(slow);
    host_cancel(quick);
    end(self);
}

// After a loss it listens again, and says so.
static void test_loss(spin_self *self) {
    spin_call *call = call_listen(self, "l", -1);
    host_await(call, "listening\n");
    server_kill();
    expect_start("the loop hears of the loss", host_await(call, "lost\n"), "listening\nlost: ");
    host_await_timer(SECOND);
    host_advance(SECOND);
    host_await(call, "directory\nlost\n");
    server_start();
    host_await_timer(SECOND);
    host_advance(SECOND);
    const char *text = host_await(call, "listening\n");
    expect_part("it says that it was lost", text,
                "cannot connect: No such file or directory\nlost\nlistening\n");
    expect("it sends", host_ended(call_notify(self, "l", "9")), "");
    expect_part("it has it", host_await(call, "9\n"), "listening\nl=9\n");
    host_cancel(call);
}

void test_listening(void) {
    reset_config();
    spin_self *self = make();
    test_channels(self);
    test_leaving(self);
    test_room();
    test_loss(self);
    end(self);
}
