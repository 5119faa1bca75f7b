// Watches of one file or folder.
#include "kernel.h"
#include "world.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void test_folder(void) {
    spin_self *self = make();
    make_dir("in");
    make_file("in/old", "");
    spin_call *watch = call_watch(self, NULL, "in/", "present", 0);
    host_await(watch, "created in/old (present)\n");
    make_file("in/new", "");
    host_await(watch, "in/new\n");
    make_dir("in/sub");
    host_await(watch, "created in/sub/\n");
    make_file("in/sub/below", "");
    hold(watch, "in/hold");
    rename_path("in/old", "in/older");
    host_set_room(watch, -1);
    host_await(watch, "moved in/old to in/older\n");
    close(open("in/older", O_WRONLY | O_CLOEXEC)); // It writes nothing.
    make_file("in/older2", "");
    host_await(watch, "moved in/old to in/older\ncreated in/older2\n");
    unlink("in/older");
    host_await(watch, "removed in/older\n");
    expect("the plugin writes", result(call_data(self, "write", NULL, "in/own", "text")), "done\n");
    expect("all changes come, and nothing of the hidden file", host_await(watch, "created in/own\n"),
           "created in/ (present)\ncreated in/old (present)\ncreated in/new\n"
           "created in/sub/\ncreated in/hold\nmoved in/old to in/older\ncreated in/older2\nremoved in/older\n"
           "created in/own\n");
    host_cancel(watch);
    remove_all("in");
    end(self);
}

// An editor writes in several ways, and each is one event.
static void test_saves(void) {
    spin_self *self = make();
    make_dir("in");
    make_file("in/a", "a");
    spin_call *watch = call_watch(self, NULL, "in", "present", 0);
    host_await(watch, "created in/a (present)\n");
    hold(watch, "in/hold");
    make_file("in/a", "b");
    grow_file("in/a");
    make_file("in/new", "");
    grow_file("in/new");
    make_file("in/temporary", "");
    unlink("in/temporary");
    host_set_room(watch, -1);
    host_await(watch, "created in/hold\nchanged in/a\ncreated in/new\n");
    hold(watch, "in/hold2");
    make_file("in/.a.swp", "e");
    rename_path("in/.a.swp", "in/a"); // by a rename
    rename_path("in/new", "in/new~"); // with a backup
    make_file("in/new", "ef");
    unlink("in/new~");
    host_set_room(watch, -1);
    host_await(watch, "created in/hold2\nchanged in/a\nchanged in/new\n");
    hold(watch, "in/hold3");
    rename_path("in/new", "in/b");
    rename_path("in/b", "in/c");
    rename_path("in/a", "in/d");
    make_file("in/d", "ghi");
    unlink("in/hold");
    make_file("in/hold4", "");
    host_set_room(watch, -1);
    expect("chains of moves are one", strstr(host_await(watch, "created in/hold4\n"), "created in/hold3"),
           "created in/hold3\nmoved in/new to in/c\nmoved in/a to in/d\nchanged in/d\nremoved in/hold\n"
           "created in/hold4\n");
    host_cancel(watch);
    remove_all("in");
    end(self);
}

static void test_settling(void) {
    const spin_duration settle = 100000000;
    spin_self *self = make();
    make_dir("in");
    spin_call *watch = call_watch(self, NULL, "in", "present", settle);
    host_await(watch, "created in/ (present)\n");
    make_dir("in/a");
    host_await_timer(settle);
    host_advance(settle - 1);
    host_await_work();
    expect("it is not quiet yet", host_await(watch, "(present)\n"), "created in/ (present)\n");
    host_advance(1);
    host_await(watch, "created in/a/\n");
    host_set_room(watch, 0);
    make_dir("in/hold");
    host_await_timer(settle);
    host_advance(settle);
    host_await_room(watch);
    make_file("in/b", "");
    unlink("in/b");
    make_file("in/c", "");
    host_set_room(watch, -1);
    host_await_timer(settle);
    host_advance(settle);
    expect("what does not last is not reported", host_await(watch, "created in/c\n"),
           "created in/ (present)\ncreated in/a/\ncreated in/hold/\ncreated in/c\n");
    host_cancel(watch);
    expect("a time", result(call_watch(self, NULL, "in", "", -1)),
           "-22 a settling time is 0 s at least, and 1 h at most");
    expect("too long a time", result(call_watch(self, NULL, "in", "", 3600000000001)),
           "-22 a settling time is 0 s at least, and 1 h at most");
    watch = call_watch(self, NULL, "in", "present", 3600000000000);
    host_await(watch, "created in/hold/ (present)\n");
    host_cancel(watch);
    remove_all("in");
    end(self);
}

static void test_file(void) {
    spin_self *self = make();
    spin_call *watch = call_watch(self, NULL, "file", "present", 0);
    make_file("file", "");
    host_await(watch, "created file\n");
    make_file("file2", "");
    grow_file("file");
    host_await(watch, "changed file\n");
    make_file("next", "other");
    rename_path("next", "file");
    host_await(watch, "changed file\nchanged file\n");
    unlink("file");
    host_await(watch, "removed file\n");
    make_dir("file");
    host_await(watch, "created file/\n");
    make_file("file/below", "");
    host_await(watch, "created file/below\n");
    remove_all("file");
    host_await(watch, "removed file/\n");
    make_file("file", "");
    expect("all changes of one path", host_await(watch, "created file\n"),
           "created file\nchanged file\nchanged file\nremoved file\ncreated file/\n"
           "created file/below\nremoved file/below\nremoved file/\ncreated file\n");
    host_cancel(watch);
    unlink("file");
    unlink("file2");
    end(self);
}

static void test_limits(void) {
    spin_self *self = make();
    make_dir("in");
    make_file("in/1", "");
    make_file("in/2", "");
    kernel_fail(KERNEL_INOTIFY, EMFILE);
    expect("no descriptor", result(call_watch(self, NULL, "in", "", 0)),
           "-24 cannot watch `in`: the user of the app may have no more watches "
           "(fs.inotify.max_user_instances), or "
           "files");
    kernel_fail(KERNEL_WATCH, ENOSPC);
    expect(
        "no watch", result(call_watch(self, NULL, "in", "", 0)),
        "-28 cannot watch `.`: the user of the app may watch no more folders (fs.inotify.max_user_watches)");
    kernel_fail_after(KERNEL_WATCH, 1, ENOSPC);
    expect("one watch", result(call_watch(self, NULL, "in", "", 0)),
           "-28 cannot watch `in`: the user of the app may watch no more folders "
           "(fs.inotify.max_user_watches)");
    kernel_fail_after(KERNEL_WATCH, 1, EACCES);
    expect("a closed folder", result(call_watch(self, NULL, "in", "", 0)),
           "-13 cannot watch `in`: Permission denied");
    config.most_paths = 2;
    expect("too many files", result(call_watch(self, NULL, "in", "", 0)),
           "-7 cannot watch `in`: it has more files and folders than the setting `most_paths` allows");
    config.most_paths = 5;
    spin_call *watch = call_watch(self, NULL, "in", "present", 0);
    hold(watch, "in/3");
    make_file("in/4", "");
    make_file("in/other", "");
    unlink("in/other");
    make_file("in/another", "");
    rename_path("in/another", "another");
    unlink("another");
    host_set_room(watch, -1);
    host_await(watch, "created in/3\ncreated in/4\n");
    unlink("in/1");
    host_await(watch, "removed in/1\n");
    make_file("in/5", "");
    host_await(watch, "created in/5\n");
    make_file("in/6", "");
    expect("what has gone does not count", result(watch),
           "created in/ (present)\ncreated in/1 (present)\ncreated in/2 (present)\n"
           "created in/3\ncreated in/4\nremoved in/1\ncreated in/5\n"
           "-7 cannot watch `in`: it has more files and folders than the setting `most_paths` allows");
    reset_config();
    expect("no folder", result(call_watch(self, NULL, "none/in", "", 0)),
           "-2 cannot watch `none`: No such file or directory");
    expect("nothing", result(call_watch(self, NULL, "", "", 0)), "-22 cannot watch ``: it is not a path");
    remove_all("in");
    end(self);
}

void test_watches(void) {
    test_folder();
    test_saves();
    test_settling();
    test_file();
    test_limits();
}
