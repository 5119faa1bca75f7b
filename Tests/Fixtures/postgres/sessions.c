// How a server lets the client in, and how its session begins.
#include "world.h"
#include "peer.h"
#include <libpq-fe.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;

// The server asks for the password as it is, and says it again.
static void test_secret(void) {
    set_text(&config.password, "correct horse");
    spin_self *self = make();
    spin_call *made = call(self, "execute", "x");
    int peer = peer_accept(listener);
    peer_send(peer, 'R', "\0\0\0\3", 4);
    char word[19];
    check("it sends the password", recv(peer, word, sizeof word, MSG_WAITALL) == sizeof word &&
                                       strcmp(word + 5, "correct horse") == 0);
    peer_fail(peer, "I know: correct horse, correct\nhorse");
    expect_part("nobody reads it", host_ended(made), "FATAL:  I know: <secret>, correct horse");
    peer_end(peer);
    end(self);
    set_text(&config.password, "");
}

// The server asks for Kerberos, for which there is no ticket, or which libpq refuses.
static void test_kerberos(void) {
    spin_self *self = make();
    spin_call *made = call(self, "execute", "x");
    int peer = peer_accept(listener);
    peer_send(peer, 'R', "\0\0\0\7", 4);
    expect_part("it does not get it", host_ended(made), PQlibVersion() < 160000 ? "GSSAPI" : "requirement");
    peer_end(peer);
    end(self);
}

// A server that begins a COPY when the plugin sets the session up.
static void test_setup_copy(void) {
    spin_self *self = make();
    spin_call *made = call(self, "execute", "x");
    int peer = peer_accept(listener);
    peer_let_in(peer);
    peer_read(peer, NULL);
    peer_send(peer, 'G', "\0\0\0", 3);
    expect("it begins a COPY", host_ended(made), "-129 the server begins a COPY, which is not possible");
    peer_end(peer);
    end(self);
}

// A server that knows less, or refuses all settings.
static void test_refused_settings(void) {
    spin_self *self = make();
    spin_call *made = call(self, "execute", "x");
    int peer = peer_accept(listener);
    peer_let_in(peer);
    for (int i = 0; i < 2; i++) {
        peer_read(peer, i ? "SET statement_timeout = 60000; SET bytea_output = hex" : NULL);
        peer_fail(peer, "not now");
        peer_ready(peer, 'I');
    }
    expect("it refuses the session", host_ended(made), "-129 28000 not now");
    peer_end(peer);
    made = call(self, "execute", "x");
    peer = peer_accept(listener);
    peer_let_in(peer);
    peer_read(peer, NULL);
    peer_fail(peer, "unrecognized configuration parameter");
    peer_ready(peer, 'I');
    peer_set_up(peer);
    peer_read_statement(peer);
    peer_complete(peer, "DELETE 4", 'I');
    expect("it is old", host_ended(made), "4 changes\n");
    end(self);
    peer_end(peer);
}

void test_sessions(void) {
    listener = peer_listen();
    test_secret();
    test_kerberos();
    test_setup_copy();
    test_refused_settings();
    close(listener);
}
