// Servers that break off, or send what they must not.
#include "world.h"
#include "peer.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;

// The server ends amid a row, and after an idle time.
static void test_ends(void) {
    spin_self *self = make();
    spin_call *made = call(self, "query", "SELECT 1");
    int peer = peer_open(listener);
    peer_read_statement(peer);
    peer_begin_rows(peer);
    (void)!send(peer, "D\0\0\1\0", 5, MSG_NOSIGNAL);
    close(peer);
    expect_start("it ends amid a row", host_ended(made), "-130 the connection is lost, and it is not known");
    made = call(self, "query", "SELECT 1");
    peer = peer_open(listener);
    peer_read_statement(peer);
    peer_begin_rows(peer);
    peer_row(peer, "x");
    peer_complete(peer, "SELECT 1", 'I');
    expect("a row comes", host_ended(made), "a: text x\n");
    peer_send(peer, 'A', "\0\0\0\1strange\0x", 14);
    close(peer);
    made = call(self, "execute", "x");
    peer = peer_open(listener);
    peer_read_statement(peer);
    peer_complete(peer, "DELETE 2", 'I');
    expect("an idle connection that has ended is not used", host_ended(made), "2 changes\n");
    end(self);
    peer_end(peer);
}

// A server that is full while another connection lives.
static void test_full(void) {
    config.most_connections = 2;
    spin_self *self = make();
    spin_call *first = call(self, "execute", "x");
    int peer = peer_open(listener);
    peer_read_statement(peer);
    spin_call *second = call(self, "execute", "y");
    int other = peer_accept(listener);
    peer_fail(other, "sorry, too many clients already");
    peer_end(other);
    peer_complete(peer, "DELETE 1", 'I');
    expect("the first ends", host_ended(first), "1 changes\n");
    peer_read_statement(peer);
    peer_complete(peer, "DELETE 2", 'I');
    expect("the second one follows", host_ended(second), "2 changes\n");
    end(self);
    peer_end(peer);
    config.most_connections = 1;
}

/* What a server answers to a statement, in place of its answer, before it ends. */
struct answer {
    const char *name, *start, *bytes;
    size_t size;
};

#define BYTES(text) text, sizeof text - 1

static void test_answers(void) {
    static const char lost[] =
        "-130 the connection is lost, and it is not known whether the change was made: ";
    static const struct answer answers[] = {
        {"a COPY begins", lost, BYTES("1\0\0\0\0042\0\0\0\4nG\0\0\0\7\0\0\0")},
        {"a message is unknown", lost, BYTES("!\0\0\0\4")},
        {"a message is too long", lost, BYTES("T\177\377\377\377")},
        {"a message is too short", lost, BYTES("T\0\0\0\1")},
        {"a row comes before its columns", lost, BYTES("1\0\0\0\0042\0\0\0\4D\0\0\0\13\0\1\0\0\0\1x")},
        {"a row has a length that is not true", lost,
         BYTES("1\0\0\0\0042\0\0\0\4T\0\0\0\034\0\1a\0\0\0\0\0\0\0\0\0\0\031\377\377\377\377\377\377\0\0\0\0D"
               "\0\0\0\13"
               "\0\1\0\0\377\377x")},
        {"it begins a transaction", "-128 the statement has begun a transaction, which is taken back",
         BYTES("1\0\0\0\0042\0\0\0\4n\0\0\0\4C\0\0\0\nBEGIN\0Z\0\0\0\5T")},
        {"it says nothing", lost, BYTES("")},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        spin_self *self = make();
        spin_call *made = call(self, "execute", "x");
        int peer = peer_open(listener);
        peer_read_statement(peer);
        (void)!send(peer, answers[i].bytes, answers[i].size, MSG_NOSIGNAL);
        shutdown(peer, SHUT_WR);
        expect_start(answers[i].name, host_ended(made), answers[i].start);
        peer_end(peer);
        end(self);
    }
}

// What a server answers at the begin, before it ends.
static void test_begins(void) {
    static const struct answer answers[] = {
        {"it is not a server", "-129 cannot connect: ", BYTES("HTTP/1.1 400 Bad Request\r\n\r\n")},
        {"it wants what nobody knows", "-129 cannot connect: ", BYTES("R\0\0\0\10\0\0\0\143")},
        {"its length is not true", "-129 cannot connect: ", BYTES("R\177\377\377\377\0\0\0\0")},
        {"it never lets in", "-129 cannot connect: ", BYTES("R\0\0\0\10\0\0\0\0")},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        spin_self *self = make();
        spin_call *made = call(self, "execute", "x");
        int peer = peer_accept(listener);
        (void)!send(peer, answers[i].bytes, answers[i].size, MSG_NOSIGNAL);
        shutdown(peer, SHUT_WR);
        expect_start(answers[i].name, host_ended(made), answers[i].start);
        peer_end(peer);
        end(self);
    }
}

// A message in pieces of one byte.
static void test_pieces(void) {
    static const char answer[] = "1\0\0\0\0042\0\0\0\4n\0\0\0\4C\0\0\0\rDELETE 3\0Z\0\0\0\5I";
    spin_self *self = make();
    spin_call *made = call(self, "execute", "x");
    int peer = peer_open(listener);
    peer_read_statement(peer);
    for (size_t i = 0; i < sizeof answer - 1; i++)
        check("a byte is sent", send(peer, answer + i, 1, MSG_NOSIGNAL) == 1);
    expect("it is put together", host_ended(made), "3 changes\n");
    end(self);
    peer_end(peer);
}

void test_broken_peers(void) {
    listener = peer_listen();
    test_ends();
    test_full();
    test_answers();
    test_begins();
    test_pieces();
    close(listener);
}
