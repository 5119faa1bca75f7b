// What a search looks at, keeps and counts.
#include "kernel.h"
#include "world.h"
#include <stdio.h>
#include <unistd.h>

// Paths that match in several ways count once, and those that are only passed do not count.
static void test_most_paths(void) {
    spin_self *self = make();
    make_dir("g");
    make_dir("g/a");
    make_dir("g/a/a");
    make_file("g/a/a/1", "");
    make_file("g/a/a/2", "");
    make_file("g/a/a/other", "");
    config.most_paths = 4;
    expect("as many as allowed", result(call_path(self, "glob", "g/**/a/**")),
           "paths g/a/a g/a/a/1 g/a/a/2 g/a/a/other\n");
    config.most_paths = 3;
    expect("others do not count", result(call_path(self, "glob", "g/**/a/**/?")),
           "paths g/a/a g/a/a/1 g/a/a/2\n");
    expect("too many", result(call_path(self, "glob", "g/**/a/**")),
           "-7 cannot look for `g/**/a/**`: more paths match than the setting `most_paths` allows");
    reset_config();
    remove_all("g");
    end(self);
}

static spin_call *search;

static void look_at_more(void) { check("it looks at nothing more", 0); }

static void cancel_search(void) {
    host_cancel(search);
    kernel_meanwhile(KERNEL_OPENAT2, 0, look_at_more);
}

// A search is cancelled while it is in a folder.
static void test_cancelled(void) {
    make_dir("g");
    make_file("g/1", "");
    make_file("g/2", "");
    make_file("g/3", "");
    config.root = TEXT("g");
    spin_self *self = make();
    // The first search opens its path. The other one opens the folder, and each file.
    kernel_meanwhile(KERNEL_OPENAT2, 3, cancel_search);
    room_of_next = 0;
    spin_call *first = call_path(self, "glob", "none");
    search = call_path(self, "glob", "*");
    host_set_room(first, -1);
    expect("the one before", result(first), "paths\n");
    expect("it is cancelled", result(search), "");
    host_await_work();
    kernel_meanwhile(KERNEL_OPENAT2, 0, NULL);
    end(self);
    reset_config();
    remove_all("g");
}

enum { many = 600 };

static const char *name_of(int number) {
    static char path[300];
    snprintf(path, sizeof path, "g/%0250d", number);
    return path;
}

static void empty_folder(void) {
    for (int i = 0; i < many; i++)
        check("a file is removed", unlink(name_of(i)) == 0);
    kernel_meanwhile(KERNEL_OPENAT2, many / 2, look_at_more);
}

// A search takes names as the system gives them, in parts, and does not keep all that a folder has.
static void test_large_folder(void) {
    make_dir("g");
    for (int i = 0; i < many; i++)
        make_file(name_of(i), "");
    config.root = TEXT("g");
    spin_self *self = make();
    kernel_meanwhile(KERNEL_OPENAT2, 1, empty_folder);
    expect("nothing is left", result(call_path(self, "glob", "*")), "paths\n");
    host_await_work();
    kernel_meanwhile(KERNEL_OPENAT2, 0, NULL);
    end(self);
    reset_config();
    remove_all("g");
}

void test_searches(void) {
    test_most_paths();
    test_cancelled();
    test_large_folder();
}
