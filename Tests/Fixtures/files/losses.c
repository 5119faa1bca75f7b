// Notices that the kernel loses, swaps, and the ends of calls.
#include "kernel.h"
#include "world.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_overflow(void) {
    spin_self *self = make();
    make_dir("in");
    make_dir("in/sub");
    make_file("in/sub/a", "");
    make_file("in/sub/b", "");
    spin_call *watch = call_watch(self, NULL, "in", "recursive present", 0);
    host_await(watch, "created in/sub/b (present)\n");
    host_set_room(watch, 0);
    make_file("in/hold", "");
    host_await_room(watch);
    for (int left = atoi(content_of("/proc/sys/fs/inotify/max_queued_events")); left > 0; left -= 2) {
        make_file("in/noise", "");
        unlink("in/noise");
    }
    // The kernel tells nothing of these.
    unlink("in/sub/a");
    grow_file("in/sub/b");
    make_dir("in/new");
    make_file("in/new/c", "");
    make_file("in/last", "");
    host_set_room(watch, -1);
    expect("nothing that lasts is lost", strstr(host_await(watch, "created in/new/c\n"), "created in/hold"),
           "created in/hold\nrescan the system had no room for all notices\nremoved in/sub/a\n"
           "created in/last\ncreated in/new/\nchanged in/sub/b\ncreated in/new/c\n");
    host_cancel(watch);
    remove_all("in");
    end(self);
}

static void test_names(void) {
    spin_self *self = make();
    make_dir("in");
    make_file("in/\xff", "");
    spin_call *watch = call_watch(self, NULL, "in", "present", 0);
    host_await(watch, "created in/ (present)\n");
    make_file("in/\xfe", "");
    make_file("in/a", "");
    expect("other names are left out", host_await(watch, "created in/a\n"),
           "created in/ (present)\ncreated in/a\n");
    expect("also here", result(call_path(self, "glob", "in/*")), "paths in/a\n");
    host_cancel(watch);
    remove_all("in");
    end(self);
}

// A folder below that nobody may look into.
static void test_closed(void) {
    spin_self *self = make();
    make_dir("in");
    spin_call *watch = call_watch(self, NULL, "in", "recursive present", 0);
    host_await(watch, "created in/ (present)\n");
    host_await_work();
    kernel_fail(KERNEL_WATCH, EACCES);
    make_dir("in/closed");
    host_await(watch, "created in/closed/\n");
    make_dir("in/open");
    host_await(watch, "created in/open/\n");
    make_file("in/closed/not", "");
    make_file("in/open/a", "");
    expect("the others are watched", host_await(watch, "created in/open/a\n"),
           "created in/ (present)\ncreated in/closed/\ncreated in/open/\ncreated in/open/a\n");
    host_cancel(watch);
    remove_all("in");
    end(self);
}

void test_losses(void) {
    test_overflow();
    test_names();
    test_closed();
}

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

static spin_status restored(const void *data, size_t size) {
    spin_self *self = create();
    spin_status status = restore(self, data, size);
    destroy(self);
    return status;
}

static void test_strange_state(void) {
    char long_key[SPIN_RUN_KEY_SIZE];
    memset(long_key, 'a', sizeof long_key);
    check("it takes nothing", restored("", 0) == SPIN_OK);
    check("it takes a key", restored("app/loop-1", 10) == SPIN_OK);
    check("it refuses a key that is too long", restored(long_key, sizeof long_key) != SPIN_OK);
    check("it refuses other texts", restored("a\0b", 3) != SPIN_OK && restored("a b", 3) != SPIN_OK);
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
    test_strange_state();
    test_cancelled();
}
