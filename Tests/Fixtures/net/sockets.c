// Sockets that listen: their addresses, and files.
#include "world.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void test_taken_port(void) {
    reset_config();
    char address[64];
    int other = offer(address);
    spin_self *self = make();
    spin_call *call = call_listen(self, address, "raw", NULL);
    settle(self);
    expect("two calls do not share an address", host_ended(call_listen(self, address, "raw", NULL)),
           "-1 another call has this address already");
    close(other);
    pass(self, config.reconnect_least);
    expect("it listens when the port is free", host_await(call, "listening\n"), "listening\n");
    expect("it is the port", heard_address(), address);
    end(self, call);
}

static void test_no_right(void) {
    reset_config();
    spin_self *self = make();
    expect("a folder must be there", host_ended(call_listen(self, "unix:/nowhere/a.sock", "raw", NULL)),
           "-1 cannot listen at `unix:/nowhere/a.sock`: No such file or directory");
    stop(self);
    destroy(self);
}

static void test_families(void) {
    reset_config();
    char local[160];
    struct stat found;
    local_address(local);
    const char *addresses[] = {"tcp:[::1]:0", "tcp:[::]:0", local};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        spin_self *self = make();
        forget_connections();
        spin_call *call = call_listen(self, addresses[i], "lines", NULL);
        host_await(call, "listening\n");
        int peer = dial();
        say(peer, "a\n", 2);
        expect("a peer comes", host_await(call, "a\n"), "listening\nopened 0\nframe 0 a = a\n");
        expect("it gets an answer", host_ended(call_send(self, connection(0), "b", 1, NULL)), "");
        hear(peer, "b\n", 2);
        close(peer);
        end(self, call);
        check("no file is left", stat("socket", &found) != 0);
    }
}

// The file of a local socket that was left, and one that is used.
static void test_left_file(void) {
    reset_config();
    char local[160];
    local_address(local);
    spin_self *self = make(), *other = make();
    spin_call *call = call_listen(self, local, "lines", NULL);
    host_await(call, "listening\n");
    spin_call *waits = call_listen(other, local, "lines", NULL);
    settle(other);
    check("the file is kept, as another program would be", link("socket", "left") == 0);
    end(self, call);
    check("it is removed", unlink("socket") != 0 && rename("left", "socket") == 0);
    pass(other, config.reconnect_least);
    expect("the next one takes its place", host_await(waits, "listening\n"), "listening\n");
    check("a file of another one stays", unlink("socket") == 0 && mkdir("socket", 0700) == 0);
    end(other, waits);
    check("it is there", rmdir("socket") == 0);
}

// A local peer may have a path that is not UTF-8, and the longest one.
static void test_paths_of_peers(void) {
    char local[160], long_path[108], repaired[5 + 3 * 108 + 1] = "unix:";
    memset(long_path, 0xFF, sizeof long_path);
    for (int i = 0; i < 108; i++)
        strcat(repaired, "\xEF\xBF\xBD");
    const struct {
        const char *path;
        size_t size;
        const char *heard;
    } cases[] = {{"a", 1, "unix:a"},
                 {"a\xFFz", 3, "unix:a\xEF\xBF\xBDz"},
                 {long_path, sizeof long_path, repaired},
                 {"", 0, "unix:"}};
    int peers[sizeof cases / sizeof *cases];
    reset_config();
    local_address(local);
    spin_self *self = make();
    spin_call *call = call_listen(self, local, "lines", NULL);
    host_await(call, "listening\n");
    forget_connections();
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        struct sockaddr_un own = {.sun_family = AF_UNIX}, place = {.sun_family = AF_UNIX};
        int peer = peers[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        memcpy(own.sun_path, cases[i].path, cases[i].size);
        strcpy(place.sun_path, local + strlen("unix:"));
        check("the peer has a path",
              cases[i].size == 0 || bind(peer, (struct sockaddr *)&own,
                                         (socklen_t)(sizeof own.sun_family + cases[i].size)) == 0);
        check("the peer connects", connect(peer, (struct sockaddr *)&place, sizeof place) == 0);
        char opened[32];
        snprintf(opened, sizeof opened, "opened %d\n", i);
        host_await(call, opened);
        expect("its path is a text", heard_peer(), cases[i].heard);
        char name[sizeof own.sun_path + 1] = "";
        memcpy(name, cases[i].path, cases[i].size);
        check("its file is removed", cases[i].size == 0 || unlink(name) == 0);
    }
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        close(peers[i]);
    end(self, call);
}

void test_sockets(void) {
    test_taken_port();
    test_no_right();
    test_families();
    test_left_file();
    test_paths_of_peers();
}
