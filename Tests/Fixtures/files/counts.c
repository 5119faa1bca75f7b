// How many folders and links the kernel watches.
#include "world.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

void test_counts(void) {
    test_count();
    test_other_way();
}
