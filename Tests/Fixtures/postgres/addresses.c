// A name with several addresses.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "world.h"
#include "peer.h"
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char name[] = "three.test";

typedef int look_up(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* In place of the function of libc, for which the name has the same address three times. */
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
    look_up *next;
    *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo"); // As POSIX has it.
    if (!host || strcmp(host, name) != 0)
        return next(host, service, hints, found);
    int status = 0;
    for (int i = 0; i < 3 && status == 0; i++, found = &(*found)->ai_next)
        status = next("127.0.0.1", service, hints, found);
    return status;
}

static int listener;

// The first one refuses the client, the second one ends too early.
static void test_next_address(void) {
    spin_self *self = make();
    spin_call *made = call(self, "execute", "x");
    int first = peer_accept(listener);
    peer_fail(first, "not here");
    peer_end(first);
    int second = peer_accept(listener);
    peer_let_in(second);
    peer_read(second, NULL);
    close(second);
    int third = peer_open(listener);
    peer_read_statement(third);
    peer_complete(third, "DELETE 3", 'I');
    expect("the third one serves the call", host_ended(made), "3 changes\n");
    end(self);
    peer_end(third);
}

// The reason is that of the last one.
static void test_no_address(void) {
    static const char *const reasons[] = {"first", "second", "third"};
    spin_self *self = make();
    spin_call *made = call(self, "execute", "x");
    for (int i = 0; i < 3; i++) {
        int peer = peer_accept(listener);
        peer_fail(peer, reasons[i]);
        peer_end(peer);
    }
    expect_part("all refuse the client", host_ended(made), "FATAL:  third");
    end(self);
}

void test_addresses(void) {
    char place[128];
    listener = peer_listen();
    const char *port = strstr(config.server.data, "port=");
    snprintf(place, sizeof place, "host=%s %s", name, port);
    set_text(&config.server, place);
    test_next_address();
    test_no_address();
    reset_config();
    close(listener);
}
