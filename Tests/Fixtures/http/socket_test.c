// WebSockets of the `http` plugin: calls, threads and frames.
#include "../plugin-host/host.h"
#include "../plugin-host/plugin.h"
#include "http_test.h"
#include "server.h"
#include "socket.h"
#include "websocket/outbox.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static spin_string text(const char *text) { return (spin_string){text, strlen(text)}; }

// Opens a WebSocket, and writes its name down.
static spin_call *connect_with(spin_self *self, int room, char *name) {
    spin_call *call = host_call("run");
    spin_list_string none = {NULL, 0};
    host_set_room(call, room);
    ((void (*)(spin_call *, spin_self *, spin_string, spin_list_string, spin_list_string))plugin_effect(
        "websocket"))(call, self, url("ws", "/socket"), none, none);
    if (room == 0) {
        host_await_room(call);
        host_set_room(call, 1);
    }
    const char *opened = host_await(call, "\n");
    snprintf(name, CONNECTION_NAME_SIZE, "%.*s", (int)strcspn(opened, "\n"), opened);
    return call;
}

static spin_call *say(spin_self *self, const char *name, const char *words) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string, spin_string))plugin_effect("send_text"))(
        call, self, text(name), text(words));
    return call;
}

static spin_call *give(spin_self *self, const char *name, const void *data, size_t size) {
    spin_call *call = host_call("run");
    spin_bytes bytes = {data, size};
    ((void (*)(spin_call *, spin_self *, spin_string, spin_bytes))plugin_effect("send_bytes"))(
        call, self, text(name), bytes);
    return call;
}

static spin_call *hang_up(spin_self *self, const char *name, int32_t code, const char *reason) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string, int32_t, spin_string))plugin_effect("close"))(
        call, self, text(name), code, text(reason));
    return call;
}

static void test_messages(spin_self *self) {
    static const char is_closed[] = "-55 the connection is closed";
    static uint8_t large[1 << 20];
    char name[CONNECTION_NAME_SIZE], other[CONNECTION_NAME_SIZE];
    spin_call *call = connect_with(self, -1, name), *second = connect_with(self, 0, other);
    check("each connection has a name", strcmp(name, other) != 0);
    expect("a call ends when its message is sent", host_ended(say(self, name, "hello")), "");
    host_await(call, "\nhello\n");
    expect("a message may be large", host_ended(give(self, name, large, sizeof large)), "");
    host_await(call, "1048576 bytes\n");
    expect("a message may be empty", host_ended(give(self, name, NULL, 0)), "");
    host_await(call, "\n0 bytes\n");
    say(self, other, "one");
    say(self, other, "two");
    host_await_room(second);
    host_set_room(second, 1);
    host_await(second, "\none\n");
    host_await_room(second);
    host_set_room(second, -1);
    host_await(second, "\ntwo\n");
    expect("an unknown name is a failure", host_ended(say(self, "0-1", "hello")), is_closed);
    expect("a code has limits", host_ended(hang_up(self, name, 1005, "")),
           "-43 the code is not 1000, 1001, or 3000 to 4999");
    expect("an app closes a connection", host_ended(hang_up(self, name, 4001, "done")), "");
    check("its call ends then", strstr(host_ended(call), "\nclosed 4001 done\n") != NULL);
    expect("nothing is sent after that", host_ended(say(self, name, "hello")), is_closed);
    host_await(second, "\ntwo\n");
    expect("a server may close, too", host_ended(say(self, other, "bye")), "");
    host_await(second, "\nclosed 4000 bye\n");
    host_cancel(second); // while it waits for the next connection
    second = connect_with(self, -1, other);
    say(self, other, "drop");
    host_await(second, "closed 1006 the server has ended the connection without closing the WebSocket\n");
    host_cancel(second);
}

// A server that takes no bytes answers no ping.
static void test_stuck(spin_self *self) {
    static uint8_t data[8 << 20];
    char name[CONNECTION_NAME_SIZE];
    int64_t interval = config.ping_interval;
    config.ping_interval = 50000000;
    config.most_unsent = sizeof data;
    spin_call *call = connect_with(self, -1, name);
    say(self, name, "stall");
    spin_call *message = give(self, name, data, sizeof data);
    host_await(call,
               "\nclosed 1006 the server has not answered a ping within 0.05 s (setting `ping_interval`)\n");
    // The thread may have taken it or not.
    check("its message ends, too", strncmp(host_ended(message), "-55 the connection is closed", 28) == 0);
    host_cancel(call);
    config.ping_interval = interval;
    config.most_unsent = 1 << 20;
}

// A server that does not read: what waits ends with its call, with the connection, and at a limit.
static void test_unsent(spin_self *self) {
    enum { size = 400 << 10 };
    static uint8_t data[8 << 20];
    char name[CONNECTION_NAME_SIZE];
    config.most_unsent = sizeof data + 2 * size;
    spin_call *call = connect_with(self, -1, name);
    say(self, name, "stall");
    spin_call *first = give(self, name, data, sizeof data), *waiting = give(self, name, data, size);
    expect("what waits has a limit", host_ended(give(self, name, data, 2 * size)),
           "-63 more bytes would wait to be sent than the setting `most_unsent` says");
    host_cancel(waiting);
    spin_call *last = give(self, name, data, size + 1);
    host_cancel(call);
    // The thread may have taken the first one or not.
    const char *end = "-55 the connection is closed";
    check("the end of the connection ends a message that is being sent",
          strncmp(host_ended(first), end, strlen(end)) == 0);
    expect("and those that wait", host_ended(last), end);
    config.most_unsent = 1 << 20;
    socket_release();
}

// The close frame of a server has come, and waits behind a message for which there is no room.
static void test_last(spin_self *self) {
    char name[CONNECTION_NAME_SIZE], other[CONNECTION_NAME_SIZE];
    spin_call *call = connect_with(self, 0, name), *second = connect_with(self, -1, other);
    say(self, name, "last");
    host_await_room(call);
    spin_call *late = say(self, name, "late"), *close = hang_up(self, name, 4001, "");
    // Two rounds of the thread later it has looked at all of that.
    host_ended(say(self, other, "one"));
    host_ended(say(self, other, "two"));
    host_set_room(call, -1);
    expect("a message is not dropped without notice", host_ended(late), "-55 the connection is closed");
    expect("a connection that must be closed is closed", host_ended(close), "");
    check("no other one is made", strstr(host_ended(call), "\nlast\nclosed 4000 bye\n") != NULL);
    host_ended(hang_up(self, other, 4001, ""));
    host_ended(second);
}

struct sender {
    spin_self *self;
    const char *name;
    const char *words;
    int cancels;
};

static void *send_many(void *context) {
    const struct sender *sender = context;
    for (int i = 0; i < 100; i++) {
        spin_call *call = say(sender->self, sender->name, sender->words);
        if (sender->cancels)
            host_cancel(call);
        check("each call ends without a failure", strcmp(host_ended(call), "") == 0);
    }
    return NULL;
}

// How many lines of a text are this one.
static int lines(const char *text, const char *line) {
    int count = 0;
    for (size_t size; *text; text += size + (text[size] != 0)) {
        size = strcspn(text, "\n");
        count += size == strlen(line) && memcmp(text, line, size) == 0;
    }
    return count;
}

static void test_threads(spin_self *self) {
    char name[CONNECTION_NAME_SIZE];
    spin_call *call = connect_with(self, -1, name);
    struct sender senders[] = {{self, name, "a", 0}, {self, name, "b", 1}, {self, name, "c", 0}};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        check("a thread begins", pthread_create(&threads[i], NULL, send_many, &senders[i]) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    host_ended(say(self, name, "end"));
    const char *all = host_await(call, "\nend\n");
    check("nothing is sent twice or lost", lines(all, "a") == 100 && lines(all, "c") == 100);
    check("what was cancelled may be sent", lines(all, "b") <= 100);
    host_cancel(call);
    socket_await_closed(1);
}

// Connections begin and end while others do.
static void test_ends(spin_self *self) {
    enum { count = 50 };
    spin_call *calls[count];
    char name[CONNECTION_NAME_SIZE];
    for (int i = 0; i < count; i++) {
        spin_list_string none = {NULL, 0};
        calls[i] = host_call("run");
        ((void (*)(spin_call *, spin_self *, spin_string, spin_list_string, spin_list_string))plugin_effect(
            "websocket"))(calls[i], self, url("ws", i % 3 ? "/socket" : "/hold"), none, none);
    }
    for (int i = 0; i < count; i++)
        host_cancel(calls[i]);
    spin_call *open = connect_with(self, -1, name);
    end(self);
    host_cancel(open); // as a thread of the host that is late
    socket_await_closed(2);
    begin(self);
    host_cancel(connect_with(self, -1, name));
    socket_await_closed(3);
}

void test_sockets(spin_self *self) {
    test_messages(self);
    test_stuck(self);
    test_unsent(self);
    test_last(self);
    test_threads(self);
    test_ends(self);
}
