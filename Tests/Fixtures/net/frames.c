// Framings in both directions, frames that come in pieces, and those that are too long.
#include "world.h"
#include <string.h>
#include <unistd.h>

/* What a peer says, what the loop hears of it, and what the peer hears when the loop sends `AB`. */
static const struct {
    const char *framing, *said;
    size_t said_size;
    const char *heard, *answer;
    size_t answer_size;
} cases[] = {
    {"lines", "one\r\n\ntwo\n", 10, "frame 0 one = one\nframe 0 \nframe 0 two = two\n", "AB\n", 3},
    {"lines", "f\xFF\n", 3, "frame 0 66FF = f\xEF\xBF\xBD\n", "AB\n", 3},
    {"delimiter:0D0A", "one\n\r\n\rtwo\r\n", 12, "frame 0 6F6E650A\nframe 0 0D74776F\n", "AB\r\n", 4},
    {"length:2", "onetwo", 6, "frame 0 on\nframe 0 et\nframe 0 wo\n", "AB", 2},
    {"prefix:u8", "\3one\0\1x", 7, "frame 0 one\nframe 0 \nframe 0 x\n", "\2AB", 3},
    {"prefix:u16", "\0\3one\0\1x", 8, "frame 0 one\nframe 0 x\n", "\0\2AB", 4},
    {"prefix:u32", "\0\0\0\3one", 7, "frame 0 one\n", "\0\0\0\2AB", 6},
    {"prefix:u16le", "\3\0one", 5, "frame 0 one\n", "\2\0AB", 4},
    {"prefix:u32le", "\3\0\0\0one", 7, "frame 0 one\n", "\2\0\0\0AB", 6},
};

static void test_framings(int is_split) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset_config();
        spin_self *self = make();
        spin_call *call = serve(self, cases[i].framing);
        int peer = dial();
        size_t piece = is_split ? 1 : cases[i].said_size;
        for (size_t done = 0; done < cases[i].said_size; done += piece) {
            say(peer, cases[i].said + done, piece);
            settle(self);
        }
        expect("frames are found", host_await(call, cases[i].heard) + strlen("listening\nopened 0\n"),
               cases[i].heard);
        expect("it sends a frame", host_ended(call_send(self, connection(0), "AB", 2, NULL)), "");
        hear(peer, cases[i].answer, cases[i].answer_size);
        close(peer);
        end(self, call);
    }
}

static void test_raw(void) {
    reset_config();
    config.longest = 4;
    spin_self *self = make();
    spin_call *call = serve(self, "raw");
    int peer = dial();
    say(peer, "one", 3);
    host_await(call, "one\n");
    say(peer, "two two", 7);
    expect("bytes come as they come", host_await(call, "two\n"),
           "listening\nopened 0\nframe 0 one\nframe 0 two \nframe 0 two\n");
    expect("so they go", host_ended(call_send(self, connection(0), "longer", 6, NULL)), "");
    expect("none is possible", host_ended(call_send(self, connection(0), "", 0, NULL)), "");
    hear(peer, "longer", 6);
    close(peer);
    end(self, call);
}

// The end of a frame that is too long comes in two parts.
static void test_split_end(void) {
    reset_config();
    config.longest = 8;
    spin_self *self = make();
    spin_call *call = serve(self, "delimiter:0D0A0D");
    int peer = dial();
    host_await(call, "opened 0\n");
    say(peer, "0123456789012345678901234567890123456789\r\n", 42);
    settle(self);
    say(peer, "\rnext\r\n\r", 8);
    expect("the next one is whole", host_await(call, "next\n"),
           "listening\nopened 0\ndamaged 40: it is longer than 8 bytes (setting `longest`)\nframe 0 next\n");
    close(peer);
    end(self, call);
}

// Frames that are too long are dropped, and the next one is whole.
static void test_too_long(void) {
    static const struct {
        const char *framing, *start, *last;
        size_t start_size, body, last_size;
        const char *bytes;
    } longs[] = {
        {"lines", "", "\nnext\n", 0, 300000, 6, "300000"},
        {"lines", "", "\nnext\n", 0, 9, 6, "9"},
        {"delimiter:0D0A0D0A", "", "\r\n\r\nnext\r\n\r\n", 0, 300000, 12, "300000"},
        {"prefix:u32", "\0\4\x93\xE0", "\0\0\0\4next", 4, 300000, 8, "300000"},
        {"prefix:u8", "\11", "\4next", 1, 9, 5, "9"},
    };
    static char body[300000];
    memset(body, 'a', sizeof body);
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++) {
        reset_config();
        config.longest = 8;
        spin_self *self = make();
        spin_call *call = serve(self, longs[i].framing);
        int peer = dial();
        say(peer, longs[i].start, longs[i].start_size);
        say(peer, body, longs[i].body);
        say(peer, longs[i].last, longs[i].last_size);
        const char *heard =
            host_await(call, strcmp(longs[i].framing, "lines") == 0 ? "next = next\n" : "next\n");
        check("it names the size", strstr(heard, longs[i].bytes) != NULL);
        check("it names the setting",
              strstr(heard, ": it is longer than 8 bytes (setting `longest`)\nframe 0 next") != NULL);
        close(peer);
        end(self, call);
    }
    test_split_end();
    // Nobody has 4 GiB for a frame. What has come of it is dropped, and its end never comes.
    reset_config();
    spin_self *self = make();
    spin_call *call = serve(self, "prefix:u32");
    int peer = dial();
    say(peer, "\xFF\xFF\xFF\xFF", 4);
    say(peer, body, sizeof body);
    reset(peer);
    expect("the loop hears of it at once", host_await(call, "peer\n"),
           "listening\nopened 0\ndamaged 4294967295: it is longer than 65536 bytes (setting `longest`)\n"
           "closed 0: Connection reset by peer\n");
    end(self, call);
}

// A loop that is slow slows the peer.
static void test_slow_loop(void) {
    enum { count = 20000, width = 100 };
    static char frames[count][width];
    reset_config();
    spin_self *self = make();
    spin_call *call = serve(self, "length:100");
    int peer = dial();
    host_await(call, "opened 0\n");
    host_set_room(call, 0);
    count_frames(count);
    for (int i = 0; i < count; i++) {
        memset(frames[i], ' ', width);
        for (int left = i, digits = i < 10      ? 1
                                    : i < 100   ? 2
                                    : i < 1000  ? 3
                                    : i < 10000 ? 4
                                                : 5;
             digits-- > 0; left /= 10)
            frames[i][digits] = (char)('0' + left % 10);
    }
    // As much as the system takes fits without a reader; the test has no thread for the rest.
    size_t sent = 0, size = 3 * 65536;
    say(peer, frames, size);
    sent = size;
    host_await_room(call);
    while (sent < sizeof frames) {
        host_set_room(call, 500);
        size_t part = sizeof frames - sent < 50000 ? sizeof frames - sent : 50000;
        say(peer, (const char *)frames + sent, part);
        sent += part;
        if (sent < sizeof frames)
            host_await_room(call);
    }
    host_set_room(call, -1);
    host_await(call, "all\n");
    close(peer);
    end(self, call);
}

// The loop may send only what is one frame.
static void test_no_frames(void) {
    static const struct {
        const char *framing, *data, *reason;
        size_t size;
    } others[] = {
        {"lines", "a\nb", "-5 the bytes have the end of a frame within", 3},
        {"delimiter:6161", "ba", "-5 the bytes have the end of a frame within", 2},
        {"length:2", "abc", "-5 a frame of the connection has another length", 3},
        {"prefix:u8", NULL, "-5 the prefix cannot have the length of the frame", 256},
    };
    static const char zeros[256];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        reset_config();
        spin_self *self = make();
        spin_call *call = serve(self, others[i].framing);
        int peer = dial();
        host_await(call, "opened 0\n");
        const char *data = others[i].data ? others[i].data : zeros;
        expect("it is not a frame", host_ended(call_send(self, connection(0), data, others[i].size, NULL)),
               others[i].reason);
        close(peer);
        end(self, call);
    }
}

void test_frames(void) {
    test_framings(0);
    test_framings(1);
    test_raw();
    test_too_long();
    test_slow_loop();
    test_no_frames();
}
