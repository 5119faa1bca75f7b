// Folders and links on the way to a watched path, which others move and replace.
#include "kernel.h"
#include "world.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char gone[] = "created up/mid/in/ (present)\n"
                           "-2 cannot watch `up/mid`: the folder has gone, or was moved";

static void test_folders_above(void) {
    spin_self *self = make();
    make_dirs("up", "up/mid", "up/mid/in");
    spin_call *watch = call_watch(self, NULL, "up/mid/in", "present", 0);
    host_await(watch, "(present)\n");
    rename_path("up", "down");
    expect("it is moved", result(watch), gone);
    rename_path("down", "up");
    watch = call_watch(self, NULL, "up/mid/in", "present", 0);
    hold(watch, "up/mid/in/hold");
    rename_path("up", "down");
    rename_path("down", "up");
    host_set_room(watch, -1);
    host_await(watch, "hold\n");
    make_file("up/mid/in/a", "");
    expect("it is back", host_await(watch, "created up/mid/in/a\n"),
           "created up/mid/in/ (present)\ncreated up/mid/in/hold\ncreated up/mid/in/a\n");
    host_set_room(watch, 0);
    make_file("up/mid/in/b", "");
    host_await_room(watch);
    rename_path("up", "down");
    make_dirs("up", "up/mid", "up/mid/in");
    host_set_room(watch, -1);
    expect("it is another one", strstr(result(watch), "-2"),
           "-2 cannot watch `up/mid`: the folder has gone, or was moved");
    remove_all("down");
    watch = call_watch(self, NULL, "up/mid/in/..", "present", 0);
    host_await(watch, "created up/mid/in/../in/ (present)\n");
    rename_path("up/mid", "up/other");
    expect("a path without a name", strstr(result(watch), "-2"),
           "-2 cannot watch `up/mid/in/..`: the folder has gone, or was moved");
    remove_all("up");
    end(self);
}

static void test_links_above(void) {
    spin_self *self = make();
    make_dirs("one", "one/in", "two");
    make_dir("two/in");
    make_link("one", "first");
    make_link("first", "second");
    spin_call *watch = call_watch(self, NULL, "second/in", "present", 0);
    host_await(watch, "(present)\n");
    make_file("one/in/a", "");
    host_await(watch, "created second/in/a\n");
    make_link("two", "first");
    expect("the link leads elsewhere", result(watch),
           "created second/in/ (present)\ncreated second/in/a\n"
           "-2 cannot watch `second`: the folder has gone, or was moved");
    watch = call_watch(self, NULL, "second/in", "", 0);
    unlink("first");
    expect("the link has gone", result(watch), "-2 cannot watch `second`: the folder has gone, or was moved");
    expect("it leads nowhere", result(call_watch(self, NULL, "second/in", "", 0)),
           "-2 cannot watch `second`: No such file or directory");
    make_link("second", "first");
    expect("it leads around", result(call_watch(self, NULL, "second/in", "", 0)),
           "-40 cannot watch `second/in`: Too many levels of symbolic links");
    unlink("first");
    unlink("second");
    remove_all("one");
    remove_all("two");
    end(self);
}

// Without a root, a path may lead up from where the host runs.
static void test_up(void) {
    char absolute[256], path[300], expected[700];
    check("the folder has a path", getcwd(absolute, sizeof absolute) != NULL);
    snprintf(path, sizeof path, "..%s/in", strrchr(absolute, '/'));
    spin_self *self = make();
    make_dir("in");
    spin_call *watch = call_watch(self, NULL, path, "present", 0);
    make_file("in/a", "");
    snprintf(expected, sizeof expected, "created %s/ (present)\ncreated %s/a\n", path, path);
    expect("it is watched", host_await(watch, "/a\n"), expected);
    host_cancel(watch);
    remove_all("in");
    end(self);
}

// A folder on the way that the app may not read; but that of the path must be readable.
static void test_closed_folders(void) {
    spin_self *self = make();
    make_dirs("up", "up/mid", "up/mid/in");
    kernel_fail(KERNEL_WATCH, EACCES);
    expect("the folder of the path", result(call_watch(self, NULL, "up", "", 0)),
           "-13 cannot watch `.`: a watch must read the folder that has the path, and the app may not");
    kernel_fail(KERNEL_WATCH, EACCES);
    spin_call *watch = call_watch(self, NULL, "up/mid/in", "present", 0);
    host_await(watch, "created up/mid/in/ (present)\n");
    make_file("up/mid/in/a", "");
    host_await(watch, "created up/mid/in/a\n");
    rename_path("up/mid", "up/other");
    expect("the others are watched", strstr(result(watch), "-2"),
           "-2 cannot watch `up/mid`: the folder has gone, or was moved");
    remove_all("up");
    end(self);
}

// Without a descriptor, a watch cannot know whether a folder has gone.
static void test_no_descriptor(void) {
    static const char expected[] = "-24 cannot watch `up/mid`: Too many open files";
    spin_self *self = make();
    make_dirs("up", "up/mid", "up/mid/in");
    for (int opened = 0; opened < 3; opened++) {
        spin_call *watch = call_watch(self, NULL, "up/mid/in", "", 0);
        kernel_fail_after(KERNEL_OPENAT, opened, EMFILE);
        rename_path("up/mid/in", "up/mid/other");
        expect("no descriptor", result(watch), expected);
        rename_path("up/mid/other", "up/mid/in");
    }
    remove_all("up");
    end(self);
}

static void replace_folder(void) {
    rename_path("up/mid", "up/old");
    make_dir("up/mid");
}

static void replace_link(void) { make_link("mid", "up/link"); }

// Others replace something on the way before the watch hears of it.
static void test_meanwhile(void) {
    spin_self *self = make();
    make_dirs("up", "up/mid", "up/other");
    make_link("other", "up/link");
    kernel_meanwhile(KERNEL_WATCH, 1, replace_folder);
    spin_call *folder = call_watch(self, NULL, "up/mid/in", "", 0);
    kernel_meanwhile(KERNEL_WATCH, 1, replace_link);
    spin_call *link = call_watch(self, NULL, "up/link/in", "", 0);
    make_dir("up/mid/in");
    expect("the new folder is watched", host_await(folder, "\n"), "created up/mid/in/\n");
    expect("the new link is followed", host_await(link, "\n"), "created up/link/in/\n");
    host_cancel(folder);
    host_cancel(link);
    remove_all("up");
    end(self);
}

void test_routes(void) {
    test_no_descriptor();
    test_meanwhile();
    test_folders_above();
    test_links_above();
    test_up();
    test_closed_folders();
}
