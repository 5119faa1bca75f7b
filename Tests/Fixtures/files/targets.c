// Watched paths that are links, and what these lead to.
#include "world.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static void test_folders(void) {
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

void test_targets(void) {
    test_folders();
    test_linked_file();
}
