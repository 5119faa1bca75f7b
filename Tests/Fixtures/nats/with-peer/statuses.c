// What a server may say to requests to a consumer of JetStream.
#include "consumer.h"
#include "../parts.h"
#include "scene.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void await_unavailable(spin_call *call, const char *reason) {
    char text[300];
    snprintf(text, sizeof text, "unavailable %s\n", reason);
    host_await(call, text);
}

// The loop hears once of a consumer that does not work, and requests come ever more seldom.
void test_pull_statuses(void) {
    static const char not_there[] = "JetStream is not there";
    listen_once();
    spin_self *self = connect_once();
    spin_call *call = call_consume(self, "s", "c", 10);
    take_subscription();
    take_first_pull();
    status("503");
    await_unavailable(call, not_there);
    await_read(self);
    for (int i = 0; i < 3; i++) {
        host_advance((SECOND << i) / 2 - 1);
        settle(self);
        check("it does not ask at once", recv(peer, inbox, 1, MSG_DONTWAIT) < 0);
        pass(self, 1 << i);
        take_first_pull();
        status("503");
        await_read(self);
    }
    pass(self, 8);
    take_first_pull();
    // A long text is cut off between characters.
    char text[256] = "409 x", shown[256];
    for (size_t size = 5; size < 205; size += 2)
        memcpy(text + size, "\xc3\xa4", 2);
    status(text);
    snprintf(shown, sizeof shown, "the server says: %.153s", text);
    await_unavailable(call, shown);
    await_read(self);
    pass(self, 16);
    // A status of an earlier request is not about this one.
    char before[160], now[160];
    memcpy(before, inbox, sizeof before);
    take_first_pull();
    memcpy(now, inbox, sizeof now);
    memcpy(inbox, before, sizeof inbox);
    status("409 Old");
    memcpy(inbox, now, sizeof inbox);
    give("one");
    host_await(call, "one\n");
    // A server that forgets the request.
    await_read(self);
    pass(self, 15);
    await_unavailable(call, "the server says nothing of the request for messages");
    pass(self, 1);
    take_first_pull();
    status("404 No Messages"); // At once, so it is not asked at once.
    await_read(self);
    check("it does not ask at once", recv(peer, inbox, 1, MSG_DONTWAIT) < 0);
    pass(self, 2);
    take_info("{\"error\":{\"code\":404,\"err_code\":10014,\"description\":\"not \xff found\"}}");
    await_unavailable(call, "not \xef\xbf\xbd found");
    await_read(self);
    pass(self, 4);
    take_info("{\"config\":{\"deliver_subject\":\"d\"}}");
    await_unavailable(call, "it is a push consumer");
    await_read(self);
    pass(self, 8);
    // A message of an earlier request does not stand in the way of the answer.
    take_question();
    give("late");
    host_await(call, "late\n");
    await_read(self);
    peer_message(peer, inbox, ticket, "", is_there);
    take_pull();
    peer_send(peer, "-ERR 'Permissions Violation for Publish to \"$JS.API.CONSUMER.MSG.NEXT.s.c\"'\r\n");
    await_unavailable(call, "the server refuses the request for messages");
    host_cancel(call);
    finish(self);
}
