// Servers that say nothing, and calls that are cancelled at each stage.
#include "world.h"
#include "peer.h"
#include <unistd.h>

static int listener;

static const char change[] = "INSERT INTO t VALUES (1) RETURNING 1";

static void test_silent_connects(void) {
    static const char late[] = "-129 cannot connect: the server does not answer (setting `connect_timeout`)";
    spin_self *self = make();
    spin_call *made = call(self, "execute", "x");
    int peer = peer_accept(listener);
    peer_pass(peer);
    expect("a server says nothing", host_ended(made), late);
    peer_end(peer);
    made = call(self, "execute", "x");
    peer = peer_accept(listener);
    peer_let_in(peer);
    peer_read(peer, NULL);
    peer_pass(peer);
    expect("a server says too little", host_ended(made), late);
    peer_end(peer);
    end(self);
}

static const char unknown[] = "-130 the connection is lost, and it is not known whether the change was made: "
                              "the server does not answer within the time (setting `statement_timeout`)";
static const char unchanged[] = "-129 the connection is lost, and nothing was changed: "
                                "the server does not answer within the time (setting `statement_timeout`)";

static void test_silent_statements(void) {
    spin_self *self = make();
    spin_call *made = call(self, "execute", "x"), *next = call(self, "query", change);
    int peer = peer_open(listener);
    peer_read_statement(peer);
    peer_pass(peer);
    expect("a statement has no answer", host_ended(made), unknown);
    peer_end(peer);
    peer = peer_open(listener);
    peer_read(peer, "BEGIN");
    peer_complete(peer, "BEGIN", 'T');
    peer_read_statement(peer);
    peer_begin_rows(peer);
    peer_pass(peer);
    expect("a transaction has no answer", host_ended(next), unchanged);
    peer_end(peer);
    made = call(self, "query", change);
    peer = peer_open(listener);
    peer_read(peer, "BEGIN");
    peer_complete(peer, "BEGIN", 'T');
    peer_read_statement(peer);
    peer_begin_rows(peer);
    peer_complete(peer, "INSERT 0 1", 'T');
    peer_read(peer, "COMMIT");
    peer_pass(peer);
    expect("its end has no answer", host_ended(made), unknown);
    peer_end(peer);
    end(self);
}

/* How far the peer comes before the call is cancelled. */
enum stage { ACCEPTED, LET_IN, SET_UP, BEGUN, RUN, COMMITTED, STAGES };

static int go(enum stage stage) {
    int peer = peer_accept(listener);
    if (stage >= LET_IN)
        peer_let_in(peer);
    if (stage >= SET_UP)
        peer_set_up(peer);
    if (stage >= SET_UP)
        peer_read(peer, "BEGIN");
    if (stage >= BEGUN) {
        peer_complete(peer, "BEGIN", 'T');
        peer_read_statement(peer);
    }
    if (stage >= RUN) {
        peer_begin_rows(peer);
        peer_row(peer, "1");
    }
    if (stage >= COMMITTED) {
        peer_complete(peer, "INSERT 0 1", 'T');
        peer_read(peer, "COMMIT");
    }
    return peer;
}

// The next call never gets the connection of a cancelled one that the server still works for.
static void test_cancels(void) {
    for (enum stage stage = ACCEPTED; stage < STAGES; stage++) {
        spin_self *self = make();
        spin_call *cancelled = call(self, "query", change);
        int peer = go(stage);
        spin_call *next = call(self, "execute", "x");
        host_cancel(cancelled);
        int other = peer;
        if (stage >= SET_UP) {
            peer_end(peer);
            other = peer_open(listener);
        } else { // A connection that opens belongs to no call yet.
            if (stage < LET_IN)
                peer_let_in(peer);
            peer_set_up(peer);
        }
        peer_read_statement(other);
        peer_send(other, '1', "", 0);
        peer_send(other, '2', "", 0);
        peer_send(other, 'n', "", 0);
        peer_complete(other, "UPDATE 7", 'I');
        expect("the next call runs", host_ended(next), "7 changes\n");
        end(self);
        peer_end(other);
    }
}

// An instance ends at each stage, without the server.
static void test_ends(void) {
    for (enum stage stage = ACCEPTED; stage < STAGES; stage++) {
        spin_self *self = make();
        spin_call *made = call(self, "query", change);
        int peer = go(stage);
        host_cancel(made);
        end(self);
        peer_end(peer);
    }
}

void test_peers(void) {
    listener = peer_listen();
    test_silent_connects();
    test_silent_statements();
    test_cancels();
    test_ends();
    close(listener);
}
