// Peers that connect when the process can hardly open more files.
#include "world.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Lets the process open files below this number alone, or again what it could before (-1).
static void set_files(const struct rlimit *before, int lowest) {
    struct rlimit limit = *before;
    if (lowest >= 0)
        limit.rlim_cur = (rlim_t)lowest;
    check("the limit can be set", setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

// The system has no file for a connection, and later one. The log says so once until then.
static void test_no_files(void) {
    enum { count = 2 };
    reset_config();
    spin_self *self = make();
    spin_call *call = serve(self, "lines");
    struct sockaddr_in place = {.sin_family = AF_INET};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons((uint16_t)atoi(strrchr(heard_address(), ':') + 1));
    struct rlimit before;
    int peers[count], lines = log_count("connections wait");
    check("there is a limit", getrlimit(RLIMIT_NOFILE, &before) == 0);
    for (int i = 0; i < count; i++) {
        int peer = peers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), lowest = dup(peer);
        close(lowest);
        set_files(&before, lowest);
        check("the peer connects", connect(peer, (struct sockaddr *)&place, sizeof place) == 0);
        say(peer, "one\n", 4);
        char opened[64];
        for (int second = 0; second < 3; second++)
            pass(self, SECOND);
        snprintf(opened, sizeof opened, "opened %d\n", i);
        check("it waits", !strstr(host_await(call, ""), opened));
        check("the log says so once", log_count("connections wait") == lines + i + 1);
        set_files(&before, -1);
        pass(self, SECOND);
        snprintf(opened, sizeof opened, "frame %d one = one\n", i);
        host_await(call, opened);
    }
    expect("they are accepted", host_await(call, ""),
           "listening\nopened 0\nframe 0 one = one\nopened 1\nframe 1 one = one\n");
    for (int i = 0; i < count; i++)
        close(peers[i]);
    end(self, call);
}

// A connection gets the last file. No other one waits, so the log is silent, and the next one gets the file at once.
static void test_last_file(void) {
    enum { count = 2 };
    reset_config();
    spin_self *self = make();
    char address[160];
    local_address(address);
    forget_connections();
    spin_call *call = call_listen(self, address, "lines", NULL);
    host_await(call, "listening\n");
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    strcpy(place.sun_path, address + strlen("unix:"));
    struct rlimit before;
    int peers[count], lines = log_count("connections wait");
    check("there is a limit", getrlimit(RLIMIT_NOFILE, &before) == 0);
    for (int i = 0; i < count; i++)
        peers[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int last = dup(peers[0]);
    close(last);
    set_files(&before, last + 1);
    for (int i = 0; i < count; i++) {
        char closed[64];
        check("the peer connects", connect(peers[i], (struct sockaddr *)&place, sizeof place) == 0);
        say(peers[i], "a\n", 2);
        host_await(call, "a\n");
        shutdown(peers[i], SHUT_RDWR);
        snprintf(closed, sizeof closed, "closed %d: the peer has closed it\n", i);
        host_await(call, closed);
    }
    set_files(&before, -1);
    check("the log is silent", log_count("connections wait") == lines);
    for (int i = 0; i < count; i++)
        close(peers[i]);
    end(self, call);
}

void test_files(void) {
    test_no_files();
    test_last_file();
}
