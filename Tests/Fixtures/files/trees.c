// Watches of folders with all below them.
#include "world.h"
#include <string.h>
#include <unistd.h>

static void test_below(void) {
    spin_self *self = make();
    make_dir("in");
    make_dir("in/a");
    make_dir("in/a/b");
    make_file("in/a/b/old", "");
    make_file("in/a-file", ""); // It comes between `a` and what is below that.
    spin_call *watch = call_watch(self, NULL, "in", "recursive present", 0);
    host_await(watch, "created in/a-file (present)\n");
    make_file("in/a/b/new", "");
    host_await(watch, "created in/a/b/new\n");
    make_dir("in/c");
    make_dir("in/c/d");
    make_file("in/c/d/deep", "");
    host_await(watch, "created in/c/d/deep\n");
    expect("folders that come are watched", host_await(watch, "deep\n"),
           "created in/ (present)\ncreated in/a/ (present)\ncreated in/a/b/ (present)\n"
           "created in/a/b/old (present)\ncreated in/a-file (present)\ncreated in/a/b/new\n"
           "created in/c/\ncreated in/c/d/\ncreated in/c/d/deep\n");
    hold(watch, "in/hold");
    make_file("in/a/b/early", ""); // Nothing is there any more when the watch looks.
    rename_path("in/a", "in/c/a");
    make_file("in/c/a/b/later", "");
    host_set_room(watch, -1);
    host_await(watch,
               "created in/hold\nmoved in/a to in/c/a/\ncreated in/c/a/b/early\ncreated in/c/a/b/later\n");
    grow_file("in/c/a/b/old");
    host_await(watch, "changed in/c/a/b/old\n");
    rename_path("in/c", "out");
    host_await(watch, "removed in/c/d/deep\nremoved in/c/d/\nremoved in/c/a/b/old\nremoved in/c/a/b/new\n"
                      "removed in/c/a/b/later\nremoved in/c/a/b/early\nremoved in/c/a/b/\nremoved "
                      "in/c/a/\nremoved in/c/\n");
    make_file("out/d/not", "");
    rename_path("out", "in/back");
    expect("what comes from elsewhere is new",
           strstr(host_await(watch, "created in/back/a/b/old\n"), "created in/back/"),
           "created in/back/\ncreated in/back/a/\ncreated in/back/d/\ncreated in/back/a/b/\n"
           "created in/back/d/deep\ncreated in/back/d/not\ncreated in/back/a/b/early\ncreated "
           "in/back/a/b/later\n"
           "created in/back/a/b/new\ncreated in/back/a/b/old\n");
    host_cancel(watch);
    remove_all("in");
    end(self);
}

// The watched folder goes and comes back, or another one takes its place.
static void test_replaced(void) {
    spin_self *self = make();
    make_dir("in");
    make_file("in/a", "");
    spin_call *watch = call_watch(self, NULL, "in", "recursive present", 0);
    host_await(watch, "created in/a (present)\n");
    remove_all("in");
    host_await(watch, "removed in/\n");
    make_dir("in");
    make_file("in/b", "");
    host_await(watch, "created in/b\n");
    make_dir("next");
    make_file("next/c", "");
    hold(watch, "in/hold");
    rename_path("in", "before");
    rename_path("next", "in");
    host_set_room(watch, -1);
    host_await(watch, "created in/c\n");
    make_file("before/not", "");
    grow_file("in/c");
    expect("the path counts, and not the folder", host_await(watch, "changed in/c\n"),
           "created in/ (present)\ncreated in/a (present)\nremoved in/a\nremoved in/\ncreated in/\n"
           "created in/b\ncreated in/hold\nremoved in/hold\nremoved in/b\nremoved in/\ncreated in/\ncreated "
           "in/c\n"
           "changed in/c\n");
    host_cancel(watch);
    remove_all("before");
    // When its parent goes, nobody can tell.
    make_dir("up");
    rename_path("in", "up/in");
    watch = call_watch(self, NULL, "up/in", "recursive present", 0);
    host_await(watch, "created up/in/c (present)\n");
    rename_path("up", "down");
    expect("the parent has gone", result(watch),
           "created up/in/ (present)\ncreated up/in/c (present)\n"
           "-2 cannot watch `up`: the folder has gone, or was moved");
    remove_all("down");
    end(self);
}

// A link to a folder is followed only if the app has named it.
static void test_links(void) {
    spin_self *self = make();
    make_dir("one");
    make_dir("two");
    make_file("two/b", "");
    check("links are made", symlink("one", "current") == 0 && symlink("../two", "one/two") == 0);
    spin_call *watch = call_watch(self, NULL, "current", "recursive present", 0);
    host_await(watch, "created current/two (present)\n");
    make_dir("one/a");
    host_await(watch, "created current/a/\n");
    check("another link", symlink("two", "next") == 0);
    rename_path("next", "current");
    expect(
        "the link leads elsewhere", host_await(watch, "created current/b\n"),
        "created current/ (present)\ncreated current/two (present)\ncreated current/a/\n"
        "removed current/two\nremoved current/a/\nremoved current/\ncreated current/\ncreated current/b\n");
    host_cancel(watch);
    unlink("current");
    remove_all("one");
    remove_all("two");
    end(self);
}

// A folder of the tree becomes a link, which leads out of the root, or to itself.
static void test_folder_becomes_link(const char *target) {
    make_dir("root");
    make_dir("root/in");
    make_dir("root/in/sub");
    make_file("root/in/sub/a", "");
    config.root = TEXT("root");
    spin_self *self = make();
    spin_call *watch = call_watch(self, NULL, "in", "recursive present", 0);
    host_await(watch, "created in/sub/a (present)\n");
    hold(watch, "root/in/hold");
    remove_all("root/in/sub");
    check("a link is made", symlink(target, "root/in/sub") == 0);
    host_set_room(watch, -1);
    expect("what was below has gone", host_await(watch, "created in/sub\n"),
           "created in/ (present)\ncreated in/sub/ (present)\ncreated in/sub/a (present)\ncreated in/hold\n"
           "removed in/sub/a\nremoved in/sub/\ncreated in/sub\n");
    host_cancel(watch);
    end(self);
    reset_config();
    remove_all("root");
}

// Folders as deep as a path can be.
static void test_depth(void) {
    enum { depth = 1000 };
    static char path[2 * depth + 16] = "in";
    static const char last[] = "file\n";
    spin_self *self = make();
    config.most_paths = 2 * depth;
    make_dir("in");
    for (int i = 0; i < depth; i++)
        make_dir(strcat(path, "/a"));
    spin_call *watch = call_watch(self, NULL, "in", "recursive", 0);
    make_file(strcat(path, "/file"), "");
    expect("the deepest one", host_await(watch, last) + strlen("created "), strcat(path, "\n"));
    host_cancel(watch);
    remove_all("in");
    end(self);
    reset_config();
}

// Makes a folder with folders in it; their path.
static const char *make_deep(const char *first, char *path) {
    make_dir(strcpy(path, first));
    for (int i = 0; i < 12; i++) {
        char *name = path + strlen(path);
        memset(name, 'd', 200);
        *name = '/';
        name[200] = 0;
        make_dir(path);
    }
    return path;
}

// Folders that are deeper than a path can be.
static void test_too_deep(void) {
    static char path[4096], rest[4096];
    spin_self *self = make();
    make_deep("rest", path);
    strcat(strcpy(rest, make_deep("in", path)), "/rest");
    rename_path("rest", rest);
    spin_call *watch = call_watch(self, NULL, "in", "recursive", 0);
    make_file("in/a", "");
    expect("the others are watched", host_await(watch, "\n"), "created in/a\n");
    host_cancel(watch);
    expect("a search fails", result(call_path(self, "glob", "in/**/a")),
           "-36 cannot look for `in/**/a`: File name too long");
    rename_path(rest, "rest");
    remove_all("in");
    remove_all("rest");
    end(self);
}

void test_trees(void) {
    test_too_deep();
    test_depth();
    test_below();
    test_replaced();
    test_links();
    test_folder_becomes_link("/");
    test_folder_becomes_link("sub");
}
