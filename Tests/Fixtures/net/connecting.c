// Connections that the plugin opens, loses and opens again.
#include "world.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static void test_connection(void) {
    reset_config();
    char address[64];
    int listener = offer(address);
    spin_self *self = make();
    spin_call *call = call_connect(self, address, "lines", NULL);
    int peer = answer(listener);
    host_await(call, "connected\n");
    say(peer, "one\ntw", 6);
    host_await(call, "one\n");
    expect("it is known by its address", host_ended(call_send(self, address, "yes", 3, NULL)), "");
    hear(peer, "yes\n", 4);
    close(peer);
    host_await(call, "closed it\n");
    expect("without a connection nothing is sent", host_ended(call_send(self, address, "a", 1, NULL)),
           "-128 it is not connected");
    pass(self, config.reconnect_least);
    peer = answer(listener);
    say(peer, "three\n", 6);
    expect("it connects again", host_await(call, "three\n"),
           "connected\nframe 0 one = one\ndamaged 2: the connection was closed before its end\n"
           "lost: the peer has closed it\nconnected\nframe 0 three = three\n");
    expect("the app closes it", host_ended(call_close(self, address)), "");
    hear_end(peer);
    host_await(call, "app has closed it\n");
    pass(self, 2 * config.reconnect_least);
    peer = answer(listener);
    host_await(call, "connected\n");
    host_cancel(call);
    pass(self, SECOND);
    hear_end(peer);
    stop(self);
    destroy(self);
    close(listener);
}

// It waits longer after each failure, and tells a reason once.
static void test_refused(void) {
    reset_config();
    char address[64], other[64];
    int listener = offer(address);
    close(listener);
    const char *refused = "lost: cannot connect: Connection refused\n", *line = "not connected";
    int lines = log_count(line);
    spin_self *self = make();
    spin_call *call = call_connect(self, address, "raw", NULL);
    expect("nobody is there", host_await(call, "refused\n"), refused);
    for (spin_duration wait = config.reconnect_least; wait <= 8 * SECOND; wait *= 2)
        pass(self, wait);
    expect("it says so once", host_await(call, "refused\n"), refused);
    check("so does the log", log_count(line) == lines + 1);
    // The port may be taken by now: the test takes it by its number.
    struct sockaddr_in place = {.sin_family = AF_INET};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons((uint16_t)atoi(strrchr(address, ':') + 1));
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    check("the test listens",
          bind(listener, (struct sockaddr *)&place, sizeof place) == 0 && listen(listener, 1) == 0);
    pass(self, config.reconnect_most);
    close(answer(listener));
    host_await(call, "closed it\n");
    check("an end of a connection is not in the log", log_count(line) == lines + 1);
    expect("two calls do not share an address", host_ended(call_connect(self, address, "raw", NULL)),
           "-1 another call has this address already");
    close(listener);
    snprintf(other, sizeof other, "unix:/nowhere");
    spin_call *local = call_connect(self, other, "raw", NULL);
    expect("no local socket is there", host_await(local, "directory\n"),
           "lost: cannot connect: No such file or directory\n");
    check("the log says the other reason", log_count(line) == lines + 2);
    host_cancel(local);
    end(self, call);
}

// A host that does not answer: the queue of the listener is full.
static void test_unreachable(void) {
    reset_config();
    char address[64];
    int listener = offer(address), others[8];
    check("its queue is short", listen(listener, 0) == 0);
    struct sockaddr_in place = {.sin_family = AF_INET};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons((uint16_t)atoi(strrchr(address, ':') + 1));
    for (int i = 0; i < 8; i++) {
        others[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        connect(others[i], (struct sockaddr *)&place, sizeof place);
    }
    spin_self *self = make();
    spin_call *call = call_connect(self, address, "raw", NULL);
    settle(self);
    pass(self, config.connect_timeout);
    expect("nobody answers", host_await(call, "timeout`)\n"),
           "lost: cannot connect: nobody answers (setting `connect_timeout`)\n");
    for (int i = 0; i < 8; i++)
        close(others[i]);
    close(listener);
    end(self, call);
}

#ifndef __SANITIZE_THREAD__
// Lets the lookup of a name have its answer.
static void await_lookup(spin_self *self, spin_call *call) {
    while (strcmp(host_await(call, ""), "") == 0) {
        usleep(1000); // The answer comes by a thread of the system's.
        pass(self, 20000000);
    }
}

static void test_names(void) {
    reset_config();
    config.connect_timeout = 3600 * SECOND;
    char address[64], name[64];
    int listener = offer(address);
    snprintf(name, sizeof name, "tcp:localhost:%s", strrchr(address, ':') + 1);
    spin_self *self = make();
    spin_call *call = call_connect(self, name, "lines", NULL);
    await_lookup(self, call);
    // `localhost` can be an address of IPv6 first, where nobody listens.
    int peer = answer(listener);
    host_await(call, "connected\n");
    close(peer);
    close(listener);
    host_await(call, "closed it\n");
    end(self, call);
    self = make();
    call = call_connect(self, "tcp:no-such-host.invalid:80", "lines", NULL);
    await_lookup(self, call);
    check("the name is not found",
          strncmp(host_await(call, "\n"), "lost: cannot find `no-such-host.invalid`: ", 42) == 0);
    end(self, call);
    // The end does not wait for an answer.
    self = make();
    call = call_connect(self, "tcp:no-such-host.invalid:80", "lines", NULL);
    settle(self);
    host_cancel(call);
    stop(self);
    destroy(self);
}

#endif

static void test_local(void) {
    reset_config();
    char address[160];
    local_address(address);
    int listener = offer_local("socket");
    spin_self *self = make();
    spin_call *call = call_connect(self, address, "lines", NULL);
    int peer = answer(listener);
    say(peer, "one\n", 4);
    close(peer);
    expect("what it has sent before it left comes", host_await(call, "closed it\n"),
           "connected\nframe 0 one = one\nlost: the peer has closed it\n");
    end(self, call);
    close(listener);
    unlink("socket");
}

// Without room the loop hears of the last reason later.
static void test_reasons_without_room(void) {
    reset_config();
    char address[160];
    local_address(address);
    spin_self *self = make();
    spin_call *call = host_call("without room");
    host_set_room(call, 0);
    connect_with(self, call, address, "raw");
    host_await_room(call);
    close(offer_local("socket"));
    pass(self, config.reconnect_least);
    host_set_room(call, -1);
    settle(self);
    expect("it hears of the last one", host_await(call, ""), "lost: cannot connect: Connection refused\n");
    end(self, call);
    unlink("socket");
}

static int has_connected(int listener) {
    struct pollfd found = {.fd = listener, .events = POLLIN};
    return poll(&found, 1, 0) == 1;
}

// A connection that lasts less than ten seconds counts as a failure.
static void test_short_connections(void) {
    char address[160];
    reset_config();
    local_address(address);
    int listener = offer_local("socket");
    spin_self *self = make();
    spin_call *call = call_connect(self, address, "raw", NULL);
    for (int failures = 0; failures < 3; failures++) {
        pass(self, failures * 2 * SECOND);
        close(answer(listener));
        host_await(call, "closed it\n");
    }
    pass(self, 2 * SECOND - 1);
    check("it waits longer", !has_connected(listener));
    pass(self, 2 * SECOND);
    int peer = answer(listener);
    host_await(call, "connected\n");
    pass(self, 10 * SECOND);
    close(peer);
    host_await(call, "closed it\n");
    pass(self, SECOND);
    check("it waits no longer", has_connected(listener));
    close(answer(listener));
    end(self, call);
    close(listener);
    unlink("socket");
}

void test_connecting(void) {
    test_connection();
    test_refused();
    test_unreachable();
#ifndef __SANITIZE_THREAD__ // It does not know the thread on which glibc looks up names.
    test_names();
#endif
    test_local();
    test_reasons_without_room();
    test_short_connections();
}
