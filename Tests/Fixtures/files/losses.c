// Notices that the kernel loses, and what a watch may not look at.
#include "kernel.h"
#include "world.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// More notices than the kernel keeps. Those of the last name are not there any more.
static void make_noise(const char *path, const char *other) {
    make_file(path, "");
    for (int left = atoi(content_of("/proc/sys/fs/inotify/max_queued_events")); left > 0; left -= 4) {
        rename_path(path, other);
        rename_path(other, path);
    }
    unlink(path);
}

static void test_overflow(void) {
    spin_self *self = make();
    make_dir("in");
    make_dir("in/sub");
    make_file("in/sub/a", "");
    make_file("in/sub/b", "");
    make_dir("in/again");
    make_file("in/again/old", "");
    spin_call *watch = call_watch(self, NULL, "in", "recursive present", 0);
    host_await(watch, "created in/sub/b (present)\n");
    host_set_room(watch, 0);
    make_file("in/hold", "");
    host_await_room(watch);
    make_noise("in/noise", "in/other-noise");
    // The kernel tells nothing of these. The folder may have the same inode as before.
    remove_all("in/again");
    make_dir("in/again");
    make_file("in/again/new", "");
    unlink("in/sub/a");
    grow_file("in/sub/b");
    make_dir("in/new");
    make_file("in/new/c", "");
    make_file("in/last", "");
    host_set_room(watch, -1);
    expect("nothing that lasts is lost",
           strstr(host_await(watch, "created in/again/new\n"), "created in/hold"),
           "created in/hold\nrescan the system had no room for all notices\nremoved in/again/old\n"
           "removed in/sub/a\ncreated in/last\ncreated in/new/\nremoved in/again/\ncreated in/again/\n"
           "changed in/sub/b\ncreated in/new/c\ncreated in/again/new\n");
    host_await_work();
    make_file("in/again/late", "");
    host_await(watch, "created in/again/late\n");
    host_cancel(watch);
    remove_all("in");
    end(self);
}

// The kernel does not tell that the folder above has been moved.
static void test_lost_place(void) {
    spin_self *self = make();
    make_dir("up");
    make_dir("up/in");
    spin_call *watch = call_watch(self, NULL, "up/in", "present", 0);
    hold(watch, "up/in/hold");
    make_noise("up/in/noise", "up/in/other-noise");
    rename_path("up", "down");
    make_dir("up");
    host_set_room(watch, -1);
    expect("it has gone", result(watch),
           "created up/in/ (present)\ncreated up/in/hold\n"
           "-2 cannot watch `up`: the folder has gone, or was moved");
    remove_all("up");
    remove_all("down");
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
    test_lost_place();
    test_names();
    test_closed();
}
