// A lack of memory in each place, with Redis: nothing crashes, hangs or is lost.
#include "../faults.h"
#include "server.h"
#include "../world.h"
#include "../../plugin-host/plugin.h"
#include <string.h>

/* Waits until a call has emitted a line, or is over. Time passes, so that the instance tries again. */
static void await_line(spin_call *call) {
    while (!strchr(host_await(call, ""), '\n') && !test_host.cancelled(call))
        host_advance(SECOND);
}

static void await_end(spin_call *call) {
    while (!test_host.cancelled(call))
        host_advance(SECOND);
}

/* Whether a call has ended as it should, or for want of memory. */
static void check_end(const char *name, spin_call *call, const char *expected) {
    const char *found = host_ended(call);
    check(name, strcmp(found, expected) == 0 || strstr(found, "no memory"));
}

static void use(spin_self *self) {
    spin_call *list = call_command(self, "LRANGE l 0 -1", "list");
    await_end(list);
    check_end("a list", list, "list of 3 `x` `y` `z`\n");
    spin_call *messages = call_subscribe(self, "a", "b*"), *entries = call_read(self, "s", "me", 0, "read");
    await_line(messages);
    await_line(entries);
    if (!test_host.cancelled(entries))
        check("an entry comes once", strcmp(host_await(entries, ""), "1-1 f=v again\n") == 0);
    spin_call *done = call_acknowledge(self, "s", "1-1", "acknowledge");
    await_end(done);
    check_end("an acknowledgement", done, "");
    host_cancel(messages);
    host_cancel(entries);
}

/* An instance that lives through most of what it can do, and the next one. */
static void live(int after) {
    ask("DEL s", "1");
    ask("XGROUP CREATE s group 0 MKSTREAM", "OK");
    ask("XADD s 1-1 f v", "1-1");
    answer_to("XREADGROUP GROUP group me STREAMS s >");
    fail_allocation(after);
    spin_self *self = plugin_instance()->create(host_call("create"), &config);
    if (!self)
        return;
    start(self);
    use(self);
    stop(self);
    save(self);
    spin_self *next = plugin_instance()->create(host_call("create"), &config);
    if (next)
        restore(next, saved_bytes, saved_size);
    if (next)
        destroy(next);
    destroy(self);
}

void test_memory(void) {
    reset_config(server_port());
    config.answer_timeout = config.connect_timeout = config.keep_alive = FOREVER;
    ask("RPUSH l x y z", "3");
    ask("XADD s 1-1 f v", "1-1");
    int after = 0;
    do
        live(after++);
    while (has_failed());
    check("there were many places", after > 20);
    fail_allocation(-1);
    ask("DEL l s", "2");
}
