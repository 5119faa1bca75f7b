// WebSockets of the `http` plugin: what the bytes of a server become and what answers them, and
// states that no server can be made to bring about in time.
#include "../plugin-host/host.h"
#include "http_test.h"
#include "websocket/websocket.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// What bytes that come in pieces of `step` become: `t:` or `b:` and the bytes of each message, then the problem.
static void read_frames(const char *bytes, size_t size, size_t step, char *target, size_t capacity) {
    struct frames frames = {0};
    size_t used = 0;
    check("there is memory", frames_open(&frames, 16));
    for (size_t place = 0; place < size; place += step) {
        check("there is memory",
              frames_add(&frames, bytes + place, size - place < step ? size - place : step));
        for (struct message *message; (message = frames_next(&frames)); frames_drop(&frames))
            used += (size_t)snprintf(
                target + used, capacity - used, "%c:%.*s ", message->kind == MESSAGE_TEXT ? 't' : 'b',
                (int)pieces_size(&message->bytes), message->bytes.data ? message->bytes.data : "");
    }
    used += (size_t)snprintf(target + used, capacity - used, "%d", frames.problem);
    if (frames.problem == FRAMES_CLOSED)
        snprintf(target + used, capacity - used, " %d %s", frames.code, frames.reason);
    frames_free(&frames);
}

static void test_messages(void) {
#define BYTES(text) text, sizeof text - 1
    static const struct {
        const char *bytes;
        size_t size;
        const char *found;
    } all[] = {
        {BYTES("\x81\x02hi\x82\x01x\x81\x00"), "t:hi b:x t: 0"},
        {BYTES("\x01\x01"
               "a\x89\x01p\x00\x00\x80\x02"
               "bc"),
         "t:abc 0"},
        {BYTES("\x01\x01\xc3\x80\x01\xbc"), "t:\xc3\xbc 0"},
        {BYTES("\x81\x02h\xff"), "3"},
        {BYTES("\x81\x01\xc3"), "3"},
        {BYTES("\x82\x01\xff"), "b:\xff 0"},
        {BYTES("\x81\x11"
               "01234567890123456"),
         "2"},
        {BYTES("\x01\x10"
               "0123456789012345\x80\x01x"),
         "2"},
        {BYTES("\x81\x10"
               "0123456789012345"),
         "t:0123456789012345 0"},
        {BYTES("\x81\x82\x00\x00\x00\x00hi"), "4"},
        {BYTES("\xc1\x02hi"), "4"},
        {BYTES("\x83\x02hi"), "4"},
        {BYTES("\x80\x02hi"), "4"},
        {BYTES("\x01\x01"
               "a\x81\x01"
               "b"),
         "4"},
        {BYTES("\x09\x01"
               "a"),
         "4"},
        {BYTES("\x89\x7e\x00\x7e"), "4"},
        {BYTES("\x81\x01"
               "a\x88\x00\x81\x01"
               "b"),
         "t:a 1 1005 "},
        {BYTES("\x88\x05\x0f\xa1"
               "bye"),
         "1 4001 bye"},
        {BYTES("\x88\x02\x03\xec"), "4"},
        {BYTES("\x88\x03\x03\xe8\xff"), "1 1007 "},
        {BYTES("\x88\x02\x03\xf3"), "1 1011 "},
        {BYTES("\x88\x02\x03\xf4"), "1 1012 "},
        {BYTES("\x88\x06\x03\xf6"
               "gone\x81\x01x"),
         "1 1014 gone"},
        {BYTES("\x88\x03\x03\xf4\xc3"), "1 1007 "},
        {BYTES("\x88\x02\x03\xf7"), "4"},
        {BYTES("\x88\x09\x03\xe8gr\xc3\xbc\xc3\x9f!"), "1 1000 gr\xc3\xbc\xc3\x9f!"},
        {BYTES("\x88\x09\x03\xf5gr\xc3\xbc\xc3\x9f!"), "1 1013 gr\xc3\xbc\xc3\x9f!"},
        {BYTES("\x89\x02hi\x89\x00\x81\x02hi"), "t:hi 0"},
        {BYTES("\x89\x82\x00\x00\x00\x00hi"), "4"},
        {BYTES("\xc9\x02hi"), "4"},
        {BYTES("\x88\x7f\x80\x00\x00\x00\x00\x00\x00\x00"), "4"},
        {BYTES("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff"), "4"},
    };
    char found[128];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t step = 1; step < 12; step++) {
            read_frames(all[i].bytes, all[i].size, step, found, sizeof found);
            expect(all[i].found, found, all[i].found);
        }
}

// Reads all that is there, and gives the one frame that answers it, without its mask.
static void answer(struct frames *frames, char *target, size_t capacity) {
    char sent[160];
    check("there is no message", frames_next(frames) == NULL);
    size_t size = frames_give(frames, sent, sizeof sent);
    check("all is given", frames_are_given(frames));
    check("there is one short frame with a mask", size >= 6 && (uint8_t)sent[1] == 128 + size - 6);
    size_t used = (size_t)snprintf(target, capacity, "%02x ", (uint8_t)sent[0]);
    for (size_t i = 6; i < size; i++)
        target[used++] = (char)(sent[i] ^ sent[2 + (i - 6) % 4]);
    target[used] = 0;
}

static void test_pings(void) {
    struct frames frames = {0};
    char found[160], ping[16];
    check("there is memory", frames_open(&frames, 16));
    for (int i = 0; i < 5000; i++) {
        snprintf(ping, sizeof ping, "\x89\x04%04d", i);
        check("there is memory", frames_add(&frames, ping, 6));
    }
    answer(&frames, found, sizeof found);
    expect("the last of many pings is answered", found, "8a 4999");
    check("pings are no problem", frames.problem == FRAMES_FINE);
    frames_free(&frames);
}

static void test_close(void) {
    struct frames frames = {0};
    char found[160];
    check("there is memory", frames_open(&frames, 16));
    check("there is memory", frames_add(&frames, "\x88\x04\x03\xf5hm", 6));
    answer(&frames, found, sizeof found);
    expect("a code that libwslay does not know is sent back", found, "88 \x03\xf5hm");
    for (int i = 0; i < 100; i++)
        check("there is memory", frames_add(&frames, found, sizeof found));
    check("nothing is kept after a close frame", pieces_size(&frames.input) == 0);
    check("no message goes out after it", !frames_send(&frames, MESSAGE_TEXT, "hm", 2));
    frames_free(&frames);
}

// A ping waits behind a message that goes out slowly.
static void test_asks(void) {
    struct engine engine = {.next_due = INT64_MAX};
    struct websocket websocket = {.request = {.engine = &engine, .config = &config, .heard = 2},
                                  .state = WEBSOCKET_CLOSING,
                                  .asked = 3,
                                  .asks = 1};
    char message[300] = "", sent[200];
    check("there is memory", frames_open(&websocket.frames, 16));
    check("a message is sent", frames_send(&websocket.frames, MESSAGE_BINARY, message, sizeof message));
    check("and a ping", frames_ping(&websocket.frames));
    check("a part goes out", websocket_give(&websocket.request, sent, sizeof sent) == sizeof sent);
    check("the ping has still time", websocket.asks && websocket.asked > 3);
    websocket_ask(&websocket);
    check("and then the server has",
          websocket.request.is_waiting && websocket.request.due == websocket.asked + config.ping_interval);
    check("the rest goes out",
          websocket_give(&websocket.request, sent, sizeof sent) > 100 && !websocket.asks);
    frames_free(&websocket.frames);
}

// A ping waits in the system, behind bytes that the server takes.
static void test_held(void) {
    int ends[2];
    char part[100] = "";
    struct engine engine = {.next_due = INT64_MAX};
    check("there are sockets", socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    struct websocket websocket = {.request = {.engine = &engine, .config = &config},
                                  .upgrade = {.socket = ends[0]},
                                  .state = WEBSOCKET_OPEN};
    for (int i = 0; i < 3; i++)
        check("bytes are sent", send(ends[0], part, sizeof part, 0) == sizeof part);
    for (int i = 0, held = INT_MAX; i < 3; i++) {
        websocket.asked = monotonic_now() - config.ping_interval;
        websocket_ask(&websocket);
        check("a server that takes bytes has time", websocket.state == WEBSOCKET_OPEN);
        check("fewer wait each time", websocket.held > 0 && websocket.held < held);
        held = websocket.held;
        check("the server takes a part", recv(ends[1], part, sizeof part, 0) == sizeof part);
    }
    close(ends[0]);
    close(ends[1]);
}

static void test_leave(void) {
    struct websocket websocket = {.state = WEBSOCKET_OPEN};
    websocket_leave(&websocket.request);
    check("a connection that has ended takes no time to leave", !websocket.request.lingers);
}

void test_frames(void) {
    test_messages();
    test_pings();
    test_close();
    test_asks();
    test_held();
    test_leave();
}
