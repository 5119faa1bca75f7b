// The `http` plugin in a host of the test, with a server of the test: what it emits, and that no thread is late.
#include "../plugin-host/host.h"
#include "../plugin-host/plugin.h"
#include "../plugin-host/saved.h"
#include "http_test.h"
#include "places.h"
#include "server.h"
#include "sse.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STREAM "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

/* A stream whose id has 5,000 bytes, which is too long. */
static char long_id[5200];

static const struct answer answers[] = {
    {"/text", NULL, "HTTP/1.1 200 OK\r\nX-Answer:  yes \r\nContent-Length: 4\r\n\r\ntext"},
    {"/lines", NULL, "HTTP/1.1 200 OK\r\n\r\none\r\ntwo\n\nrest"},
    {"/cut", NULL, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\none\ntw"},
    {"/events", "Last-Event-ID: 7", NULL},
    {"/events", "Last-Event-ID: 3", STREAM "data: c\nid: 7\n\n"},
    {"/events", NULL, STREAM "retry: 1\nid: 2\ndata: a\n\nid: 3\n\nid: 4\ndata: half"},
    {"/id", NULL, long_id},
    {"/long", NULL, STREAM "data: 12345678\n\ndata: 123456789\n\n"},
    {"/other", NULL, "HTTP/1.1 101 Switching Protocols\r\n\r\nline\n"},
    {"/hold", NULL, NULL},
    {"/socket", NULL, SERVER_SOCKET},
    {NULL, NULL, NULL}};

const int plugin_waits = 0;

static int port;
struct spin_config config = {.timeout = 60000000000,
                             .connect_timeout = 60000000000,
                             .idle_timeout = 60000000000,
                             .largest_body = 1 << 20,
                             .ping_interval = 60000000000,
                             .most_unsent = 1 << 20,
                             .most_redirects = 5,
                             .most_connections = 1000,
                             .user_agent = {"test", 4},
                             .ca_file = {"", 0},
                             .proxy = {"", 0},
                             .secret_header = {"", 0}};

static spin_self *make(void) {
    const struct spin_plugin_instance *instance = plugin_instance();
    spin_self *self = instance->create(host_call("create"), &config);
    check("an instance is made", self != NULL);
    return self;
}

void begin(spin_self *self) {
    check("an instance starts", plugin_life()->start(host_call("start"), self) == SPIN_OK);
}

void end(spin_self *self) { plugin_life()->stop(self); }

static void destroy(spin_self *self) { plugin_instance()->destroy(self); }

spin_string url(const char *scheme, const char *path) {
    static _Thread_local char text[64];
    int size = snprintf(text, sizeof text, "%s://127.0.0.1:%d%s", scheme, port, path);
    return (spin_string){text, (size_t)size};
}

// Calls an effect with arguments of its own, all of which end before this returns.
static spin_call *call_as(spin_self *self, const char *effect, const char *path, const char *key, int room) {
    spin_call *call = host_call(key);
    host_set_room(call, room);
    void (*function)(void) = plugin_effect(effect);
    spin_list_string none = {NULL, 0};
    if (strcmp(effect, "get") == 0)
        ((void (*)(spin_call *, spin_self *, spin_string))function)(call, self, url("http", path));
    else if (strcmp(effect, "events") == 0)
        ((void (*)(spin_call *, spin_self *, spin_string, spin_list_string))function)(
            call, self, url("http", path), none);
    else
        ((void (*)(spin_call *, spin_self *, spin_string, spin_string, spin_list_string,
                   spin_bytes))function)(call, self, (spin_string){"GET", 3}, url("http", path), none,
                                         (spin_bytes){NULL, 0});
    return call;
}

static spin_call *call(spin_self *self, const char *effect, const char *path) {
    return call_as(self, effect, path, "run", -1);
}

static void test_answers(spin_self *self) {
    expect("get emits the body", host_ended(call(self, "get", "/text")), "200 text\n");
    expect("request emits the headers", host_ended(call(self, "request", "/text")),
           "200 4 bytes\nx-answer=yes\ncontent-length=4\n");
    spin_call *full = call_as(self, "get", "/text", "run", 0);
    host_await_room(full);
    host_set_room(full, 1);
    expect("an answer waits for room", host_ended(full), "200 text\n");
}

static void test_lines(spin_self *self) {
    spin_call *lines = call_as(self, "lines", "/lines", "run", 0);
    for (int room = 0; room < 5; room++) {
        host_await_room(lines);
        host_set_room(lines, 1);
    }
    expect("lines wait for room one by one", host_ended(lines), "one\ntwo\n\nrest\n4 lines\n");
    spin_call *cut = call_as(self, "lines", "/cut", "run", 0);
    host_await_room(cut);
    host_set_room(cut, -1);
    check("a failure does not overtake the lines before it",
          strncmp(host_ended(cut), "one\n-18 GET ", 11) == 0);
}

// Stops an instance, and starts another one with its state.
static spin_self *swap(spin_self *self) {
    end(self);
    save(self);
    destroy(self);
    self = make();
    restore_saved(self);
    begin(self);
    return self;
}

static spin_self *test_events(spin_self *self) {
    spin_call *stream = call_as(self, "events", "/events", "stream", -1);
    const char *both = "message\na\n2\nmessage\nc\n7\n";
    expect("a stream continues behind its last whole event", host_await(stream, "c\n7\n"), both);
    host_cancel(stream);
    self = swap(self);
    stream = call_as(self, "events", "/events", "stream", 0);
    server_await(8);
    host_cancel(stream);
    expect("the next instance asks behind the last event", host_ended(stream), "");
    spin_call *other = call_as(self, "events", "/events", "other", -1);
    expect("another run begins afresh", host_await(other, "c\n7\n"), both);
    host_cancel(other);
    return self;
}

static spin_self *test_limits(spin_self *self) {
    spin_call *stream = call_as(self, "events", "/id", "id", -1);
    check("an id that is too long is a failure", strncmp(host_ended(stream), "-63 GET ", 8) == 0);
    // The id is not kept: there would be no room for it.
    self = swap(self);
    config.largest_body = 14;
    check("a line has a limit, in whatever pieces it comes",
          strncmp(host_ended(call(self, "lines", "/long")), "data: 12345678\n\n-63 GET ", 24) == 0);
    config.largest_body = 8;
    check("so has an event",
          strncmp(host_ended(call(self, "events", "/long")), "message\n12345678\n\n-63 GET ", 26) == 0);
    config.largest_body = 1 << 20;
    check("another protocol is no answer",
          strncmp(host_ended(call(self, "lines", "/other")), "-101 GET ", 9) == 0);
    return self;
}

static void *cancel_half(void *context) {
    for (spin_call **next = context; *next; next += 2)
        host_cancel(*next);
    return NULL;
}

// Each call ends once: by its answer or by its cancellation, whichever comes first.
static void test_cancellations(spin_self *self) {
    enum { count = 200 };
    static spin_call *all[count + 2];
    pthread_t thread;
    for (int i = 0; i < count; i++)
        all[i] = call_as(self, i % 3 ? "get" : "lines", i % 4 ? "/text" : "/hold", "run", i % 5 ? -1 : 0);
    check("a thread begins", pthread_create(&thread, NULL, cancel_half, all) == 0);
    for (int i = 1; i < count; i += 2)
        if (i % 5)
            expect("an answer comes", host_ended(all[i]), i % 3 ? "200 text\n" : "text\n1 lines\n");
        else
            host_cancel(all[i]);
    pthread_join(thread, NULL);
}

static void test_restore(void) {
    static const char *const bad[] = {"key",         "key\0",         "k y\0id\0",  "key\0\0",
                                      "key\0a\nb\0", "key\0id\0rest", "key\0\xff\0"};
    static const size_t sizes[] = {3, 4, 7, 5, 8, 11, 6};
    struct places places = {.turn = PTHREAD_MUTEX_INITIALIZER};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check(bad[i], !places_restore(&places, (const uint8_t *)bad[i], sizes[i]) && places.count == 0);
    for (int i = 0; i < 2 * MOST_PLACES; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        places_keep(&places, key, (spin_string){"id", 2});
    }
    check("the oldest places are forgotten", places.count == MOST_PLACES && !places_take(&places, "k0"));
    places_free(&places);
}

// Messages of a stream that comes in pieces of `step` bytes, as text.
static void read_stream(const char *stream, size_t step, char *target, size_t capacity) {
    struct sse sse = {.pieces.has_lone_returns = 1, .retry = -1};
    struct sse_message message;
    size_t used = 0, size = strlen(stream);
    for (size_t place = 0; place < size; place += step) {
        check("there is memory", sse_add(&sse, stream + place, size - place < step ? size - place : step));
        while (sse_next(&sse, &message) == PIECE_FOUND)
            used +=
                (size_t)snprintf(target + used, capacity - used, "%.*s=%.*s#%.*s;", (int)message.name.size,
                                 message.name.data, (int)message.data.size, message.data.data,
                                 (int)pieces_size(&sse.id), sse.id.data ? sse.id.data : "");
    }
    snprintf(target + used, capacity - used, "%lld", (long long)sse.retry);
    sse_free(&sse);
}

static void test_format(void) {
    static const struct {
        const char *stream, *messages;
    } all[] = {
        {"\xef\xbb\xbf"
         "data: a\r\ndata:  b\rdata\n\n",
         "message=a\n b\n#;-1"},
        {"event: x\ndata: 1\n\ndata: 2\n\n", "x=1#;message=2#;-1"},
        {"event: x\n\ndata: 1\n\n", "message=1#;-1"},
        {": note\nid: 5\nretry: 10\nretry: 1x\nother: y\ndata:1\n\n", "message=1#5;10"},
        {"id: 5\ndata\n\nid\ndata: 2\n\n", "message=#5;message=2#;-1"},
        {"data: whole\n\ndata: half\n", "message=whole#;-1"},
        {"retry: 99999999999999999999\n", "86400000"},
        {"data: \xff\n\n", "message=\xef\xbf\xbd#;-1"},
        {"\r\n\r\n\n\n", "-1"},
    };
    char found[256];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t step = 1; step < 8; step++) {
            read_stream(all[i].stream, step, found, sizeof found);
            expect(all[i].stream, found, all[i].messages);
        }
}

int main(void) {
    plugin_load(&test_host);
    snprintf(long_id, sizeof long_id, STREAM "id: %05000d\n\ndata: a\n\n", 1);
    port = server_start(answers);
    spin_self *self = make();
    begin(self);
    test_answers(self);
    test_lines(self);
    self = test_events(self);
    self = test_limits(self);
    test_cancellations(self);
    spin_call *late = call(self, "get", "/hold");
    end(self);
    host_cancel(late); // as a thread of the host that is late
    expect("nothing is emitted after the end", host_ended(late), "");
    begin(self);
    expect("an instance starts again", host_ended(call(self, "get", "/text")), "200 text\n");
    test_sockets(self);
    end(self);
    destroy(self);
    test_restore();
    test_format();
    test_frames();
    server_stop();
    return 0;
}
