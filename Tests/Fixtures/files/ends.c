// Swaps, calls that the host makes again, and the ends of calls.
#include "world.h"
#include "../plugin-host/plugin.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A swap cancels the calls, and makes them again in the next instance.
static void test_swap(void) {
    spin_self *self = make();
    make_dir("in");
    make_file("in/a", "");
    spin_call *watch = call_watch(self, "watch", "in", "present", 0);
    host_await(watch, "created in/a (present)\n");
    // It does its work, and the loop has no room for its answer.
    room_of_next = 0;
    spin_call *written = call_data(self, "append", "append", "log", "once\n");
    while (strcmp(content_of("log"), "once\n") != 0)
        sched_yield();
    host_cancel(watch);
    host_cancel(written);
    stop(self);
    spin_self *next = take_over(self);
    destroy(self);
    expect("it is not written again", result(call_data(next, "append", "append", "log", "once\n")), "done\n");
    expect("once", content_of("log"), "once\n");
    watch = call_watch(next, "watch", "in", "present", 0);
    expect("the app hears of the gap", host_await(watch, "created in/a (present)\n"),
           "rescan the watch has begun again\ncreated in/ (present)\ncreated in/a (present)\n");
    host_cancel(watch);
    end(next);
    unlink("log");
    remove_all("in");
}

// The host makes calls again of runs that have changed files, while other calls come in between.
static void test_retries(void) {
    char key[32], all[256] = "", text[8];
    spin_self *self = make();
    for (int run = 0; run < 64; run++) {
        snprintf(key, sizeof key, "run/%d", run);
        snprintf(text, sizeof text, "%d,", run);
        strcat(all, text);
        expect("it appends", result(call_data(self, "append", key, "log", text)), "done\n");
    }
    expect("all are there", content_of("log"), all);
    for (int swap = 0; swap < 2; swap++) {
        expect("the first one again", result(call_data(self, "append", "run/0", "log", "0,")), "done\n");
        expect("the last one again", result(call_data(self, "append", "run/63", "log", "63,")), "done\n");
        expect("nothing comes twice", content_of("log"), all);
        stop(self);
        spin_self *next = take_over(self);
        destroy(self);
        self = next;
    }
    expect("a failure", result(call_path(self, "make_folder", "log/below")),
           "-17 cannot make the folder `log/below`: something else has this name");
    expect("it takes no place", result(call_data(self, "append", "run/0", "log", "0,")), "done\n");
    expect("nothing comes twice", content_of("log"), all);
    expect("one more", result(call_data(self, "append", "more", "log", "more,")), "done\n");
    expect("the second one", result(call_data(self, "append", "run/1", "log", "1,")), "done\n");
    expect("64 runs are known", content_of("log"), strcat(all, "more,"));
    expect("the first one is forgotten", result(call_data(self, "append", "run/0", "log", "0,")), "done\n");
    expect("it is new", content_of("log"), strcat(all, "0,"));
    end(self);
    unlink("log");
}

// Restores what some version has saved; then a call whose run has this key appends, or does not.
static const char *appended(uint32_t schema, const char *data, size_t size, const char *key) {
    const spin_saved saved = {.size = sizeof saved,
                              .schema = schema,
                              .version = "1",
                              .data = (const uint8_t *)data,
                              .data_size = size};
    spin_self *self = create();
    spin_call *call = host_call("restore");
    const char *found = "it is refused";
    if (plugin_swap()->restore(call, self, &saved) == SPIN_OK) {
        result(call_data(self, "append", key, "log", "x"));
        found = content_of("log");
        unlink("log");
    } else
        expect("why", result(call), "-5 these are not the keys of runs");
    end(self);
    return found;
}

static void test_strange_state(void) {
    char long_key[SPIN_RUN_KEY_SIZE], many[65 * 2];
    memset(long_key, 'a', sizeof long_key);
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = i % 2 ? '\n' : 'a';
    const char *refused = "it is refused";
    expect("nothing", appended(2, "", 0, "a"), "x");
    expect("a key", appended(2, "a\n", 2, "a"), "nothing");
    expect("another key", appended(2, "a\n", 2, "b"), "x");
    expect("two keys", appended(2, "a\nb\n", 4, "b"), "nothing");
    expect("64 keys", appended(2, many, 64 * 2, "a"), "nothing");
    expect("65 keys", appended(2, many, 65 * 2, "a"), refused);
    expect("a key without an end", appended(2, "a\nb", 3, "a"), refused);
    expect("an empty key", appended(2, "a\n\n", 3, "a"), refused);
    expect("other texts", appended(2, "a\0b\n", 4, "a"), refused);
    expect("a space", appended(2, "a b\n", 4, "a"), refused);
    expect("a DEL", appended(2, "a\x7f\n", 3, "a"), refused);
    expect("a tilde", appended(2, "a~\n", 3, "a~"), "nothing");
    expect("nothing of version 1", appended(1, "", 0, "a"), "x");
    expect("the key of version 1", appended(1, "a", 1, "a"), "nothing");
    expect("the longest key", appended(1, long_key, sizeof long_key - 1, "a"), "x");
    expect("a key that is too long", appended(1, long_key, sizeof long_key, "a"), refused);
    expect("another schema", appended(3, "a\n", 2, "a"), refused);
    expect("nothing of another schema", appended(3, "", 0, "a"), refused);
}

// What a line with a place in a file must be: a key and eleven numbers that a file can have.
static void test_strange_places(void) {
    const struct {
        const char *line;
        int is_taken;
    } cases[] = {
        {"k 1 2 3 4 5 6 7 8 6 9 0\n", 1},
        {"k 1 2 3 4 5 0 0 0 0 0 1\n", 1},
        {"k 18446744073709551615 2 3 4 5 6 7 8 6 9 0\n", 1},
        {"k 18446744073709551616 2 3 4 5 6 7 8 6 9 0\n", 0},
        {"k 99999999999999999999 2 3 4 5 6 7 8 6 9 0\n", 0},
        {"k 1 2 3 4 5 9223372036854775807 7 8 6 9 0\n", 1},
        {"k 1 2 3 4 5 9223372036854775808 7 8 6 9 0\n", 0},
        {"k 1 2 3 4 5 6 9223372036854775807 8 6 9 0\n", 0},
        {"k 1 2 3 4 5 6 7 9223372036854775807 6 9 0\n", 0},
        {"k 1 2 3 4 5 0 0 0 0 0 0\n", 0},
        {"k 1 2 3 4 5 6 7 8 7 9 0\n", 0},
        {"k 1 2 3 4 5 6 7 8 6 9 2\n", 0},
        {"k 1 2 3 4 5 6 7 8 6 9\n", 0},
        {"k 1 2 3 4 5 6 7 8 6 9 0 1\n", 0},
        {"k 1 2 3 4 5 6 7 8 6 9 0 \n", 0},
        {"k 1 2 3 4 5 6 7 8 6 9 \n", 0},
        {"k  1 2 3 4 5 6 7 8 6 9 0\n", 0},
        {"k -1 2 3 4 5 6 7 8 6 9 0\n", 0},
        {"k 1 x 3 4 5 6 7 8 6 9 0\n", 0},
        {" 1 2 3 4 5 6 7 8 6 9 0\n", 0},
        {"k\x7f 1 2 3 4 5 6 7 8 6 9 0\n", 0},
        {"k 1 2 3 4 5 6 7 8 6 9 0", 0},
        {"a\nk 1 2 3 4 5 6 7 8 6 9 0\nb\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].line, appended(2, cases[i].line, strlen(cases[i].line), "other"),
               cases[i].is_taken ? "x" : "it is refused");
    expect("both kinds", appended(2, "k 1 2 3 4 5 6 7 8 6 9 0\na\n", 26, "a"), "nothing");
}

// A call that is cancelled before its turn changes nothing.
static void test_cancelled(void) {
    spin_self *self = make();
    room_of_next = 0;
    spin_call *first = call_path(self, "glob", "none"), *second = call_data(self, "write", NULL, "b", "b");
    host_cancel(second);
    host_set_room(first, -1);
    expect("the first one", result(first), "paths\n");
    expect("the one behind", result(call_path(self, "read", "b")),
           "-2 cannot read `b`: No such file or directory");
    end(self);
}

void test_ends(void) {
    test_swap();
    test_retries();
    test_strange_state();
    test_strange_places();
    test_cancelled();
}
