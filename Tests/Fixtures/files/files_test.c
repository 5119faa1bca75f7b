// Files that are read, written and changed, and paths that are found.
#include "kernel.h"
#include "world.h"
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void test_reading(void) {
    spin_self *self = make();
    make_file("a.txt", "grüße");
    make_file("bytes", "\xff");
    make_dir("folder");
    check("a pipe is made", mkfifo("pipe", 0600) == 0);
    check("a link is made", symlink("a.txt", "link") == 0);
    expect("a text", result(call_path(self, "read", "a.txt")), "text a.txt: grüße\n");
    expect("a link", result(call_path(self, "read", "link")), "text link: grüße\n");
    expect("no text", result(call_path(self, "read", "bytes")),
           "-84 cannot read `bytes`: it is not UTF-8; `read_bytes` can read it");
    expect("bytes", result(call_path(self, "read_bytes", "bytes")), "data bytes: \xff\n");
    expect("nothing", result(call_path(self, "read", "missing")),
           "-2 cannot read `missing`: No such file or directory");
    expect("a folder", result(call_path(self, "read", "folder")), "-21 cannot read `folder`: it is a folder");
    expect("a pipe", result(call_path(self, "read", "pipe")),
           "-22 cannot read `pipe`: it is not a regular file");
    expect("a device", result(call_path(self, "read_bytes", "/dev/zero")),
           "-22 cannot read `/dev/zero`: it is not a regular file");
    expect("a file of /proc", result(call_path(self, "read", "/proc/sys/kernel/ostype")),
           "text /proc/sys/kernel/ostype: Linux\n\n");
    config.largest = 6;
    expect("too large", result(call_path(self, "read", "a.txt")),
           "-27 cannot read `a.txt`: it is larger than the setting `largest` allows");
    config.largest = 7;
    expect("just not too large", result(call_path(self, "read", "a.txt")), "text a.txt: grüße\n");
    expect("too large, and it tells no size", result(call_path(self, "read", "/proc/self/status")),
           "-27 cannot read `/proc/self/status`: it is larger than the setting `largest` allows");
    reset_config();
    end(self);
}

static mode_t mode_of(const char *path) {
    struct stat status;
    check("it is there", lstat(path, &status) == 0);
    return status.st_mode & 07777;
}

void test_writing(void) {
    spin_self *self = make();
    umask(027);
    expect("a new file", result(call_data(self, "write", NULL, "new", "one")), "done\n");
    expect("it is whole", content_of("new"), "one");
    check("it has the usual mode", mode_of("new") == 0640);
    check("its mode is changed", chmod("new", 0604) == 0);
    expect("another content", result(call_data(self, "write", NULL, "./new", "two")), "done\n");
    expect("it is whole", content_of("new"), "two");
    check("it keeps its mode", mode_of("new") == 0604);
    check("its mode has special bits", chmod("new", 07711) == 0);
    expect("the same content", result(call_data(self, "write", NULL, "new", "two")), "done\n");
    check("it keeps them", mode_of("new") == 07711);
    kernel_fail(KERNEL_OWNER, S_ISUID);
    expect("a file of another owner", result(call_data(self, "write", NULL, "new", "two")), "done\n");
    check("its program would get the rights of the app", mode_of("new") == 03711);
    kernel_fail(KERNEL_OWNER, S_ISGID);
    expect("a file of another group", result(call_data(self, "write", NULL, "new", "two")), "done\n");
    check("the same holds for the group", mode_of("new") == 01711);
    umask(022);
    kernel_fail(KERNEL_WRITE, ENOSPC);
    expect("a full disk", result(call_data(self, "write", NULL, "new", "three")),
           "-28 cannot write `new`: No space left on device");
    expect("the old content stays", content_of("new"), "two");
    glob_t left;
    check("nothing is left beside it", glob(".spin*", 0, NULL, &left) == GLOB_NOMATCH);
    kernel_fail(KERNEL_WRITE, 0);
    expect("a write in parts", result(call_data(self, "write", NULL, "new", "three")), "done\n");
    expect("it is whole", content_of("new"), "three");
    expect("a link", result(call_data(self, "write", NULL, "link", "")),
           "-22 cannot write `link`: it is a symbolic link, which it does not replace");
    expect("a folder", result(call_data(self, "write", NULL, "folder", "")),
           "-21 cannot write `folder`: it is a folder");
    expect("a pipe", result(call_data(self, "write", NULL, "pipe", "")),
           "-22 cannot write `pipe`: it is not a regular file");
    expect("no name", result(call_data(self, "write", NULL, "folder/", "")),
           "-22 cannot write `folder/`: it does not end with a name");
    expect("no folder", result(call_data(self, "write", NULL, "none/new", "")),
           "-2 cannot write `none/new`: No such file or directory");
    expect("an append", result(call_data(self, "append", NULL, "log", "one\n")), "done\n");
    config.sync_appends = 1;
    expect("another one", result(call_data(self, "append", NULL, "log", "two\n")), "done\n");
    expect("both are there", content_of("log"), "one\ntwo\n");
    check("links are made", symlink("log", "to-log") == 0 && symlink("log2", "to-nothing") == 0);
    expect("an append to a link", result(call_data(self, "append", NULL, "to-log", "3\n")), "done\n");
    expect("it leads there", content_of("log"), "one\ntwo\n3\n");
    expect("a link to nothing", result(call_data(self, "append", NULL, "to-nothing", "1")), "done\n");
    expect("it leads there", content_of("log2"), "1");
    check("they are removed", unlink("to-log") == 0 && unlink("to-nothing") == 0 && unlink("log2") == 0);
    expect("no folder", result(call_data(self, "append", NULL, "none/log", "")),
           "-2 cannot append to `none/log`: No such file or directory");
    expect("a folder", result(call_data(self, "append", NULL, "folder", "")),
           "-21 cannot append to `folder`: it is a folder");
    kernel_fail(KERNEL_WRITE, ENOSPC);
    expect("a full disk", result(call_data(self, "append", NULL, "log", "three\n")),
           "-28 cannot append to `log`: No space left on device");
    kernel_fail(KERNEL_WRITE, 0);
    expect("a part", result(call_data(self, "append", NULL, "log", "three\n")),
           "-28 cannot append to `log`: the disk has taken a part only");
    expect("an append to a pipe", result(call_data(self, "append", NULL, "pipe", "")),
           "-22 cannot append to `pipe`: it is not a regular file");
    reset_config();
    end(self);
}

void test_changes(void) {
    spin_self *self = make();
    expect("folders", result(call_path(self, "make_folder", "deep/er//est/")), "done\n");
    expect("they are there", result(call_path(self, "make_folder", "deep/er/est")), "done\n");
    check("links are made", symlink("deep", "to-deep") == 0 && symlink("none", "to-none") == 0);
    expect("a link to a folder is one", result(call_path(self, "make_folder", "to-deep")), "done\n");
    expect("a link to nothing is not", result(call_path(self, "make_folder", "to-none")),
           "-17 cannot make the folder `to-none`: something else has this name");
    expect("nothing is made there", result(call_path(self, "make_folder", "to-none/below")),
           "-17 cannot make the folder `to-none/below`: something else has this name");
    check("they are removed", unlink("to-deep") == 0 && unlink("to-none") == 0);
    expect("a file has the name", result(call_path(self, "make_folder", "a.txt")),
           "-17 cannot make the folder `a.txt`: something else has this name");
    expect("a file is not a folder", result(call_path(self, "make_folder", "a.txt/below")),
           "-17 cannot make the folder `a.txt/below`: something else has this name");
    expect("a move", result(call_move(self, "log", "deep/log")), "done\n");
    expect("it is there", content_of("deep/log")[0] == 'o' ? "there" : "not", "there");
    expect("nothing is replaced", result(call_move(self, "new", "deep/log")),
           "-17 cannot move `new` to `deep/log`: File exists");
    expect("nothing is moved", result(call_move(self, "log", "other")),
           "-2 cannot move `log` to `other`: No such file or directory");
    expect("a folder moves", result(call_move(self, "deep", "deeper")), "done\n");
    expect("a folder that is not empty", result(call_path(self, "remove", "deeper/er")),
           "-39 cannot remove `deeper/er`: Directory not empty");
    expect("an empty one", result(call_path(self, "remove", "deeper/er/est")), "done\n");
    expect("a file", result(call_path(self, "remove", "deeper/log")), "done\n");
    expect("nothing", result(call_path(self, "remove", "deeper/log")), "done\n");
    expect("nothing in nothing", result(call_path(self, "remove", "none/log")), "done\n");
    expect("nothing in a file", result(call_path(self, "remove", "a.txt/log")), "done\n");
    expect("no name", result(call_path(self, "remove", "a.txt/")),
           "-22 cannot remove `a.txt/`: it does not end with a name");
    expect("a link, and not its target", result(call_path(self, "remove", "link")), "done\n");
    expect("the target is there", content_of("a.txt"), "grüße");
    remove_all("deeper");
    end(self);
}

void test_roots(void) {
    make_dir("root");
    make_dir("root/in");
    make_file("root/in/file", "inside");
    check("links are made", symlink("../in/file", "root/in/good") == 0 &&
                                symlink("../../a.txt", "root/in/bad") == 0 &&
                                symlink("/", "root/in/all") == 0);
    config.root = TEXT("root");
    spin_self *self = make();
    expect("inside", result(call_path(self, "read", "in/file")), "text in/file: inside\n");
    expect("a link inside", result(call_path(self, "read", "in/good")), "text in/good: inside\n");
    const char *paths[] = {"../a.txt", "in/bad", "in/all/proc/version", "/proc/version", "in/../../a.txt"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char text[256];
        const char *why = "it leads out of the folder of the setting `root`";
        snprintf(text, sizeof text, "-18 cannot read `%s`: %s", paths[i], why);
        expect("it is not read", result(call_path(self, "read", paths[i])), text);
    }
    const char *outside = "it leads out of the folder of the setting `root`";
    char text[256];
    snprintf(text, sizeof text, "-18 cannot write `../a.txt`: %s", outside);
    expect("it is not written", result(call_data(self, "write", NULL, "../a.txt", "")), text);
    snprintf(text, sizeof text, "-18 cannot append to `in/bad`: %s", outside);
    expect("nothing is appended", result(call_data(self, "append", NULL, "in/bad", "")), text);
    snprintf(text, sizeof text, "-18 cannot remove `../a.txt`: %s", outside);
    expect("it is not removed", result(call_path(self, "remove", "../a.txt")), text);
    snprintf(text, sizeof text, "-18 cannot move `in/file` to `../file`: %s", outside);
    expect("it does not get out", result(call_move(self, "in/file", "../file")), text);
    snprintf(text, sizeof text, "-18 cannot watch `..`: %s", outside);
    expect("it is not watched", result(call_watch(self, NULL, "..", "", 0)), text);
    expect("nothing is found outside", result(call_path(self, "glob", "in/*/proc")), "paths\n");
    expect("nothing has changed", content_of("a.txt"), "grüße");
    expect("it is written inside", result(call_data(self, "write", NULL, "in/new", "new")), "done\n");
    expect("it is there", content_of("root/in/new"), "new");
    spin_call *watch = call_watch(self, NULL, "in/new", "present", 0);
    host_await(watch, "created in/new (present)\n");
    grow_file("root/in/new");
    expect("it is watched", host_await(watch, "changed in/new\n"),
           "created in/new (present)\nchanged in/new\n");
    host_cancel(watch);
    end(self);
    kernel_fail(KERNEL_OPENAT2, ENOSYS);
    expect("an old kernel", reason_of_start(),
           "-38 setting `root`: cannot open `root`: this needs Linux 5.6 (openat2)");
    config.root = TEXT("none");
    expect("no folder", reason_of_start(),
           "-2 setting `root`: cannot open `none`: No such file or directory");
    reset_config();
    remove_all("root");
}
