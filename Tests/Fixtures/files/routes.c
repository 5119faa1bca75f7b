// Folders and links on the way to a watched path, which others move and replace.
#include "kernel.h"
#include "world.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void make_link(const char *target, const char *path) {
    check("a link is made", symlink(target, "new-link") == 0);
    rename_path("new-link", path);
}

static void make_dirs(const char *first, const char *second, const char *third) {
    make_dir(first);
    make_dir(second);
    make_dir(third);
}

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

// Waits until a watch of a path has emitted something about it, or about a name in it.
static const char *await(spin_call *watch, const char *what, const char *path, const char *name) {
    char text[128];
    snprintf(text, sizeof text, "%s %s/%s\n", what, path, name);
    return host_await(watch, text);
}

// The path is a link to a folder, which goes and comes back, as do those above it.
static void test_target(const char *path, const char *target) {
    spin_self *self = make();
    make_dirs("place", "place/rel", "place/rel/1");
    make_link(target, "place/current");
    spin_call *watch = call_watch(self, NULL, path, "present", 0);
    host_await(watch, "(present)\n");
    make_file("place/rel/1/a", "");
    await(watch, "created", path, "a");
    rename_path("place/rel/1", "place/rel/0");
    await(watch, "removed", path, "");
    make_dir("place/rel/1");
    await(watch, "created", path, "");
    host_await_work();
    make_file("place/rel/1/b", "");
    await(watch, "created", path, "b");
    rename_path("place/rel", "place/gone");
    await(watch, "removed", path, "");
    rename_path("place/gone", "place/rel");
    await(watch, "created", path, "b");
    remove_all("place/rel");
    await(watch, "removed", path, "");
    make_dir("place/rel");
    host_await_work();
    make_dir("place/rel/1");
    // `+` stands for the path.
    const char *all = "created +/ (present)\ncreated +/a\nremoved +/a\nremoved +/\n"
                      "created +/\ncreated +/b\nremoved +/b\nremoved +/\n"
                      "created +/\ncreated +/b\nremoved +/b\nremoved +/\ncreated +/\n";
    char expected[1024], *next = expected;
    for (; *all; all++)
        next += snprintf(next, 32, *all == '+' ? "%s" : "%.1s", *all == '+' ? path : all);
    char last[64];
    snprintf(last, sizeof last, "removed %s/\ncreated %s/\n", path, path);
    expect(target, host_await(watch, last), expected);
    host_cancel(watch);
    remove_all("place");
    end(self);
}

static void test_targets(void) {
    char absolute[256];
    check("the folder has a path", getcwd(absolute, sizeof absolute - 16) != NULL);
    strcat(absolute, "/place/rel/1");
    test_target("place/current", "rel/1");
    test_target("place/current", ".//rel/../rel/./1/");
    test_target("place/current", absolute);
    make_dir("place");
    config.root = TEXT("place");
    spin_self *self = make();
    check("links are made", symlink("../../out", "place/out") == 0 && symlink("/", "place/all") == 0);
    const char *why = "it leads out of the folder of the setting `root`";
    char text[128];
    snprintf(text, sizeof text, "-18 cannot watch `out`: %s", why);
    expect("a link out of the root", result(call_watch(self, NULL, "out", "", 0)), text);
    snprintf(text, sizeof text, "-18 cannot watch `all/proc`: %s", why);
    expect("a link to all", result(call_watch(self, NULL, "all/proc", "", 0)), text);
    end(self);
    remove_all("place");
    // The root is opened again, as a test makes its folder.
    make_dir("outer");
    config.root = TEXT("outer");
    self = make();
    make_dir("outer/rel");
    make_dir("outer/rel/1");
    check("a link is made", symlink("deep/../../rel/1", "outer/rel/current") == 0);
    make_dir("outer/rel/deep");
    spin_call *watch = call_watch(self, NULL, "rel/current", "present", 0);
    host_await(watch, "(present)\n");
    rename_path("outer/rel/1", "outer/rel/2");
    host_await(watch, "removed rel/current/\n");
    rename_path("outer/rel/2", "outer/rel/1");
    expect("within the root", host_await(watch, "created rel/current/\n"),
           "created rel/current/ (present)\nremoved rel/current/\ncreated rel/current/\n");
    host_cancel(watch);
    end(self);
    reset_config();
    remove_all("outer");
}

// The path is a link to a file in another folder, which is not there at first.
static void test_linked_file(void) {
    spin_self *self = make();
    make_link("far/away/file", "link");
    spin_call *watch = call_watch(self, NULL, "link", "present", 0);
    make_dir("far");
    host_await_work();
    make_dir("far/away");
    host_await_work();
    make_file("far/away/file", "");
    host_await(watch, "created link\n");
    host_await_work();
    grow_file("far/away/file");
    host_await(watch, "changed link\n");
    make_file("far/away/next", "next");
    rename_path("far/away/next", "far/away/file");
    host_await(watch, "changed link\nchanged link\n");
    unlink("far/away/file");
    host_await(watch, "removed link\n");
    rename_path("far", "near");
    make_dir("far");
    host_await_work();
    make_dir("far/away");
    host_await_work();
    make_file("far/away/file", "");
    expect("all of it", host_await(watch, "removed link\ncreated link\n"),
           "created link\nchanged link\nchanged link\nremoved link\ncreated link\n");
    host_cancel(watch);
    unlink("link");
    remove_all("far");
    remove_all("near");
    end(self);
}

// The number of folders and links that the kernel watches for this program.
static int count_watches(void) {
    int count = 0;
    for (int file = 0; file < 64; file++) {
        char path[64], line[512];
        snprintf(path, sizeof path, "/proc/self/fdinfo/%d", file);
        FILE *info = fopen(path, "re");
        while (info && fgets(line, sizeof line, info))
            count += strncmp(line, "inotify wd:", 11) == 0;
        if (info)
            fclose(info);
    }
    return count;
}

// The kernel watches no more than it must, and what is needed for two reasons as long as for one.
static void test_count(void) {
    spin_self *self = make();
    make_dirs("in", "in/a", "in/a/b");
    while (count_watches() > 0) // of calls that are over
        sched_yield();
    spin_call *watch = call_watch(self, NULL, "in", "recursive present", 0);
    check("the parent, and three folders", count_watches() == 4);
    rename_path("in/a", "a");
    host_await(watch, "removed in/a/\n");
    host_await_work();
    check("the parent, and one folder", count_watches() == 2);
    host_cancel(watch);
    while (count_watches() > 0)
        sched_yield();
    remove_all("a");
    make_link(".", "in/self");
    watch = call_watch(self, NULL, "in/self", "present", 0);
    host_await(watch, "created in/self/self (present)\n");
    check("a folder for several reasons, and a link", count_watches() == 2);
    for (int round = 0; round < 2; round++) {
        unlink("in/self");
        host_await(watch, "removed in/self/\n");
        make_link(".", "in/self");
        host_await(watch, "created in/self/self\n");
        host_await_work();
        check("the same ones", count_watches() == 2);
    }
    host_cancel(watch);
    remove_all("in");
    end(self);
}

// The way leads through other folders after a link has changed, and nobody watches those before any more.
static void test_other_way(void) {
    spin_self *self = make();
    make_dirs("one", "one/a", "one/a/b");
    make_dirs("two", "two/a", "two/a/b");
    make_link("one/a/b", "link");
    spin_call *watch = call_watch(self, NULL, "link", "present", 0);
    host_await(watch, "created link/ (present)\n");
    int count = count_watches();
    make_link("two/a/b", "link");
    host_await(watch, "removed link/\ncreated link/\n");
    host_await_work();
    check("there are as many as before", count_watches() == count);
    host_cancel(watch);
    remove_all("one");
    remove_all("two");
    unlink("link");
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

void test_routes(void) {
    test_folders_above();
    test_links_above();
    test_targets();
    test_linked_file();
    test_count();
    test_other_way();
    test_up();
    test_closed_folders();
}
