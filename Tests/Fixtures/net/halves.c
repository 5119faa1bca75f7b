// Servers that send no more while the app sends to them.
#include "world.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char bytes[1 << 20];

// A local socket has no acknowledgements that come late: what the peer has taken is known at once.
static spin_self *begin(char address[160], spin_call **call, int *peer) {
    reset_config();
    config.most_unsent = sizeof bytes + 1;
    memset(bytes, 'a', sizeof bytes);
    local_address(address);
    int listener = offer_local("socket");
    spin_self *self = make();
    *call = call_connect(self, address, "lines", "connect");
    *peer = answer(listener);
    host_await(*call, "connected\n");
    close(listener);
    unlink("socket");
    return self;
}

// The server gets a frame whole that goes already, and with `close` also the frames that wait.
static void test_whole(int closes) {
    char address[160];
    int peer;
    spin_call *call, *sent[2];
    spin_self *self = begin(address, &call, &peer);
    sent[0] = call_send(self, address, bytes, sizeof bytes - 10, NULL);
    sent[1] = call_send(self, address, "last", 4, NULL);
    if (closes)
        call_close(self, address);
    settle(self);
    shutdown(peer, SHUT_WR);
    pass(self, 9 * SECOND);
    hear(peer, bytes, sizeof bytes - 10);
    hear(peer, "\nlast\n", 6);
    for (int i = 0; i < 2; i++)
        expect("it is sent", host_ended(sent[i]), "");
    hear_end(peer);
    expect("then it ends", host_await(call, "closed it\n"),
           closes ? "connected\nlost: the app has closed it\n" : "connected\nlost: the peer has closed it\n");
    end(self, call);
}

// One that takes nothing is given up.
static void test_stall(void) {
    char address[160];
    int peer;
    spin_call *call;
    spin_self *self = begin(address, &call, &peer);
    spin_call *sent = call_send(self, address, bytes, sizeof bytes, NULL);
    settle(self);
    shutdown(peer, SHUT_WR);
    for (int i = 0; i < 2; i++)
        pass(self, 10 * SECOND);
    expect("it ends", host_await(call, "nothing\n"),
           "connected\nlost: the peer sends no more, and takes nothing\n");
    expect("what waits fails", host_ended(sent),
           "-128 the connection is lost: the peer sends no more, and takes nothing");
    close(peer);
    end(self, call);
}

void test_halves(void) {
    test_whole(0);
    test_whole(1);
    test_stall();
}
