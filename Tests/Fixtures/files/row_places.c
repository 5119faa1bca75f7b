// Calls of `rows` that end before the file does, and those that continue there.
#include "world.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char changed[] = "-116 cannot read `r.csv`: it has changed since its first rows were read";

static spin_call *begin(spin_self *self, const char *key, int room) {
    room_of_next = room;
    spin_call *call = call_rows(self, key, "r.csv", 0, NULL);
    host_await_room(call);
    return call;
}

// Ends the call, as a timeout does, and makes it again.
static const char *again(spin_self *self, spin_call *call, const char *key) {
    host_cancel(call);
    return result(call_rows(self, key, "r.csv", 0, NULL));
}

// Each call is over after one row. The next one of the run continues.
static void test_timeouts(void) {
    char key[32], all[1024] = "", expected[256];
    spin_self *self = make();
    make_file("r.csv", "a\n\nb,c\n\"d\nd\"\n\xff\ne\n");
    for (int run = 0; run < 3; run++) {
        snprintf(key, sizeof key, "rows/%d", run);
        strcpy(all, "");
        for (int i = 0; i < 5; i++) {
            spin_call *call = begin(self, key, 1);
            strcat(all, host_await(call, "\n"));
            host_cancel(call);
        }
        spin_call *call = begin(self, key, 0);
        strcat(all, again(self, call, key));
        snprintf(expected, sizeof expected, "%s",
                 "row 1|a\nrow 3|b|c\nrow 4|d\nd\ndamaged 6 it is not UTF-8\nrow 7|e\nended 4\n");
        expect("each one once", all, expected);
    }
    expect("a run that is over begins again", result(call_rows(self, "rows/0", "r.csv", 0, NULL)), expected);
    end(self);
}

static void test_swap(void) {
    const char *columns[] = {"b"};
    spin_self *self = make();
    make_file("r.csv", "a,b\n1,2\n3,4\n5,6\n");
    make_file("empty.csv", "");
    room_of_next = 1;
    spin_call *call = call_rows(self, "swapped", "r.csv", 1, columns);
    host_await_room(call);
    spin_call *other = begin(self, "other", 3), *first = begin(self, "first", 0);
    room_of_next = 1;
    spin_call *ended = call_rows(self, "ended", "empty.csv", 0, NULL);
    expect("it ends", result(ended), "ended 0\n");
    for (int swap = 0; swap < 2; swap++) {
        host_cancel(call);
        host_cancel(other);
        host_cancel(first);
        stop(self);
        spin_self *next = take_over(self);
        destroy(self);
        self = next;
        room_of_next = 1;
        call = call_rows(self, "swapped", "r.csv", 1, columns);
        host_await_room(call);
        expect("the next row", host_await(call, "\n"), swap ? "row 4|6\n" : "row 3|4\n");
    }
    host_set_room(call, -1);
    expect("it is over", result(call), "row 4|6\nended 3\n");
    expect("another run", result(call_rows(self, "other", "r.csv", 0, NULL)), "row 4|5|6\nended 4\n");
    expect("one without a row", result(call_rows(self, "first", "r.csv", 0, NULL)),
           "row 1|a|b\nrow 2|1|2\nrow 3|3|4\nrow 4|5|6\nended 4\n");
    end(self);
}

static void overwrite(const char *path, const char *text, off_t offset) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    check("it is written", file >= 0 && pwrite(file, text, strlen(text), offset) == (ssize_t)strlen(text));
    close(file);
}

static void set_time(const char *path, time_t time) {
    const struct timespec times[] = {{time, 0}, {time, 0}};
    check("its time is set", utimensat(AT_FDCWD, path, times, 0) == 0);
}

static const char rest[] = "row 3|c\nended 3\n", whole[] = "row 1|a\nrow 2|b\nrow 3|c\nended 3\n";

// Another file at the path, or other bytes in the file, are never read from the middle.
static void test_other_files(void) {
    spin_self *self = make();
    make_file("r.csv", "a\nb\nc\n");
    set_time("r.csv", 1000);
    spin_call *call = begin(self, "same", 2);
    expect("the same file", again(self, call, "same"), rest);
    call = begin(self, "file", 2);
    make_file("next.csv", "a\nb\nc\n");
    set_time("next.csv", 1000);
    rename_path("next.csv", "r.csv");
    expect("another file with the same content", again(self, call, "file"), changed);
    expect("then from its start", result(call_rows(self, "file", "r.csv", 0, NULL)), whole);
    call = begin(self, "time", 2);
    set_time("r.csv", 1001);
    expect("another time", again(self, call, "time"), changed);
    call = begin(self, "grown", 2);
    overwrite("r.csv", "d\n", 6);
    expect("a file that has grown", again(self, call, "grown"), "row 3|c\nrow 4|d\nended 4\n");
    call = begin(self, "bytes", 2);
    overwrite("r.csv", "x\nc\nd\ne\n", 2);
    expect("other bytes before the place", again(self, call, "bytes"), changed);
    call = begin(self, "bytes", 2);
    overwrite("r.csv", "f\n", 10);
    overwrite("r.csv", "y", 2);
    expect("and they are the last row", again(self, call, "bytes"), changed);
    set_time("r.csv", 1002);
    call = begin(self, "shorter", 5);
    check("it is cut", truncate("r.csv", 4) == 0);
    set_time("r.csv", 1002);
    expect("a shorter file", again(self, call, "shorter"), changed);
    call = begin(self, "gone", 1);
    unlink("r.csv");
    expect("no file", again(self, call, "gone"), "-2 cannot read `r.csv`: No such file or directory");
    end(self);
}

static void leave_place(spin_self *self, const char *key, int run) {
    char full[32];
    snprintf(full, sizeof full, "%s/%d", key, run);
    host_cancel(begin(self, full, 2));
    host_await_work();
}

// The last row of a file may have no line end, and then it is whole only when one comes.
static void test_last_rows(void) {
    spin_self *self = make();
    make_file("r.csv", "a\nb");
    spin_call *call = begin(self, "end", 2);
    overwrite("r.csv", "\nc\n", 3);
    expect("its end has come", again(self, call, "end"), rest);
    check("it is cut", truncate("r.csv", 3) == 0);
    call = begin(self, "more", 2);
    expect("nothing has come", again(self, call, "more"), "ended 2\n");
    call = begin(self, "more of it", 2);
    overwrite("r.csv", "c\n", 3);
    expect("more of it has come", again(self, call, "more of it"), changed);
    expect("then from its start", result(call_rows(self, "more of it", "r.csv", 0, NULL)),
           "row 1|a\nrow 2|bc\nended 2\n");
    end(self);
    unlink("r.csv");
}

// An instance knows the places of the 1024 runs whose calls were the last to end, besides those that have a call.
static void test_many(void) {
    enum { most = 1024 };
    spin_self *self = make();
    make_file("r.csv", "a\nb\nc\n");
    spin_call *lasting = begin(self, "lasting", 2);
    for (int run = 0; run <= most; run++)
        leave_place(self, "many", run);
    expect("the first one is forgotten", result(call_rows(self, "many/0", "r.csv", 0, NULL)), whole);
    host_cancel(lasting);
    host_await_work(); // A run that has ended is not forgotten before.
    stop(self);
    spin_self *next = take_over(self);
    destroy(self);
    leave_place(next, "more", 0);
    expect("so are two more", result(call_rows(next, "many/1", "r.csv", 0, NULL)), whole);
    expect("so are two more", result(call_rows(next, "many/2", "r.csv", 0, NULL)), whole);
    const char *known[] = {"many/3", "many/500", "many/1024", "lasting", "more/0"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        expect(known[i], result(call_rows(next, known[i], "r.csv", 0, NULL)), rest);
    end(next);
    unlink("r.csv");
}

void test_row_places(void) {
    test_timeouts();
    test_swap();
    test_other_files();
    test_last_rows();
    test_many();
}
