// Lines and frames: their ends, damage and room.
#include "system.h"
#include "world.h"
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes with their number, as literals may have zeros. */
#define BYTES(literal) literal, sizeof literal - 1

static const struct {
    const char *framing; /* NULL: lines */
    const char *bytes;
    size_t size;
    const char *expected, *last;
} cases[] = {
    {NULL, BYTES("one\ntwo\r\n\n\r\na\rb\n"), "one\ntwo\n\n\na\rb\n", "a\rb\n"},
    {NULL, BYTES("caf\xc3\xa9 \xff\xc3\n"), "caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\n", "\xbd\n"},
    {NULL, BYTES("12345678901234567\n1234567890123456\r\nx\n"),
     "damaged 17: it is longer than 16 bytes (setting `longest`)\n"
     "1234567890123456\nx\n",
     "\nx\n"},
    {NULL, BYTES("1234567890123456789012345678901234567890123456789012345678901234567890\ny\n"),
     "damaged 70: it is longer than 16 bytes (setting `longest`)\ny\n", "\ny\n"},
    {"slip",
     BYTES("\xC0\xC0"
           "a\xDB\xDC"
           "b\xDB\xDD\xC0"
           "a\xDB"
           "b\xC0"
           "a\xDB\xC0"
           "c\xC0"),
     "61C062DB\ndamaged 3: it has an escape that SLIP does not know\n"
     "damaged 2: it has an escape that SLIP does not know\n63\n",
     "\n63\n"},
    {"cobs", BYTES("\0\1\1\0\3\x11\x22\2\x33\0\5\x11\x22\0\1\0\1\2z\0"),
     "00\n1122"
     "0033\ndamaged 3: it ends within a block of COBS\n\n007A\n",
     "\n007A\n"},
    {"delimiter:0D", BYTES("a\rb\n\r\r"), "61\n620A\n\n", "0A\n\n"},
    {"delimiter:0d0A", BYTES("a\r\r\nb\n\r\n"), "610D\n620A\n", "620A\n"},
    {"length:3", BYTES("abcdefghi"), "616263\n646566\n676869\n", "676869\n"},
};

static void test_case(size_t i, int is_slow) {
    const char *framing = cases[i].framing;
    spin_self *self = make();
    spin_call *call = framing ? call_frames(self, framing) : call_lines(self, -1);
    await_begin(self);
    for (size_t done = 0; is_slow && done < cases[i].size; done++) {
        say(cases[i].bytes + done, 1);
        system_await_read(1);
    }
    if (!is_slow) {
        say(cases[i].bytes, cases[i].size);
        system_await_read(cases[i].size);
    }
    expect(framing ? framing : "lines", host_await(call, cases[i].last), cases[i].expected);
    host_cancel(call);
    stop(self);
    destroy(self);
}

static void test_framings(void) {
    static const struct {
        const char *framing, *reason;
    } refused[] = {
        {"", "-5 the framing is not `slip`, `cobs`, `delimiter:HEX`, `length:N` or `idle:TIME`"},
        {"slip:", "-5 the framing is not `slip`, `cobs`, `delimiter:HEX`, `length:N` or `idle:TIME`"},
        {"delimiter:", "-5 a delimiter is 1 to 16 bytes as hexadecimal digits, such as `delimiter:0D0A`"},
        {"delimiter:0", "-5 a delimiter is 1 to 16 bytes as hexadecimal digits, such as `delimiter:0D0A`"},
        {"delimiter:0G", "-5 a delimiter is 1 to 16 bytes as hexadecimal digits, such as `delimiter:0D0A`"},
        {"delimiter:0102030405060708090A0B0C0D0E0F1011",
         "-5 a delimiter is 1 to 16 bytes as hexadecimal digits, such as `delimiter:0D0A`"},
        {"length:0", "-5 a length is a number of bytes, such as `length:16`"},
        {"length:-1", "-5 a length is a number of bytes, such as `length:16`"},
        {"length:99999999999999999999", "-5 a length is a number of bytes, such as `length:16`"},
        {"length:17", "-5 a length is at most 16 bytes (setting `longest`)"},
        {"idle:5", "-5 a pause is 100us to 60s, such as `idle:5ms`"},
        {"idle:99us", "-5 a pause is 100us to 60s, such as `idle:5ms`"},
        {"idle:61s", "-5 a pause is 100us to 60s, such as `idle:5ms`"},
    };
    spin_self *self = make();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect(refused[i].framing, host_ended(call_frames(self, refused[i].framing)), refused[i].reason);
    stop(self);
    destroy(self);
}

// What comes before the first call is dropped. Later calls continue where another one has ended.
static void test_begin(void) {
    int device = open_device();
    spin_self *self = make();
    say("old\nol", 6);
    check("it is there", poll(&(struct pollfd){device, POLLIN, 0}, 1, -1) == 1);
    spin_call *call = call_lines(self, -1);
    await_begin(self);
    say("new\nne", 6);
    expect("it is dropped", host_await(call, "new\n"), "new\n");
    system_await_read(6);
    host_cancel(call);
    say("w\nnewer\n", 8);
    call = call_frames(self, "delimiter:0A");
    expect("the next call continues", host_await(call, "72\n"), "6E6577\n6E65776572\n");
    system_await_read(8);
    host_cancel(call);
    stop(self);
    destroy(self);
    close(device);
}

enum { number_count = 150000 };

static void *send_numbers(void *context) {
    char text[16];
    for (int i = 0; i < number_count; i++)
        say(text, (size_t)snprintf(text, sizeof text, "%d\n", i));
    return context;
}

// Without room in the mailbox, nothing more is read, and nothing is lost: a megabyte comes in small parts.
static void test_room(void) {
    spin_self *self = make();
    spin_call *call = call_lines(self, 0);
    await_begin(self);
    pthread_t sender;
    count_lines(number_count);
    check("a sender begins", pthread_create(&sender, NULL, send_numbers, NULL) == 0);
    for (int i = 0; i < number_count / 100; i++) {
        host_await_room(call);
        host_set_room(call, 100);
    }
    expect("all have come in order", host_await(call, "all\n"), "all\n");
    pthread_join(sender, NULL);
    host_cancel(call);
    stop(self);
    destroy(self);
}

// Frames as long as the settings allow, and one that is longer.
static void test_long(void) {
    enum { longest = 65536 };
    static char bytes[2 * longest + 3];
    config.longest = longest;
    memset(bytes, 'a', sizeof bytes);
    bytes[longest] = bytes[sizeof bytes - 1] = '\n';
    spin_self *self = make();
    spin_call *call = call_frames(self, "delimiter:0A");
    await_begin(self);
    say(bytes, sizeof bytes);
    expect("a frame is too long", host_await(call, "longest`)\n"),
           "65536 bytes\ndamaged 65537: it is longer than 65536 bytes (setting `longest`)\n");
    host_cancel(call);
    stop(self);
    destroy(self);
}

void test_reading(void) {
    plug();
    config.longest = 16;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_case(i, 0);
        test_case(i, 1);
    }
    test_framings();
    test_begin();
    test_room();
    test_long();
    unplug();
}
