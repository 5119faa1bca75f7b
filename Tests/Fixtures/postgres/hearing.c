// The connection of `listen`, with servers that say nothing, too much, or what they must not.
#include "world.h"
#include "../plugin-host/log.h"
#include "peer.h"
#include <sys/socket.h>
#include <unistd.h>

static int listener;

// A call of `listen` that the server has accepted.
static int open_listening(spin_call *made) {
    int peer = peer_open(listener);
    peer_read(peer, "LISTEN \"a\"");
    peer_complete(peer, "LISTEN", 'I');
    host_await(made, "listening\n");
    return peer;
}

static void test_silent_listening(void) {
    spin_self *self = make();
    spin_call *made = call_listen(self, "a", -1);
    int peer = open_listening(made);
    peer_pass(peer);
    peer_read(peer, "");
    peer_send(peer, 'I', "", 0);
    peer_ready(peer, 'I');
    spin_call *other = call_listen(self, "b", -1); // The plugin has read the answer when it asks for this.
    peer_read(peer, "LISTEN \"b\"");
    peer_complete(peer, "LISTEN", 'I');
    host_await(other, "listening\n");
    host_cancel(other);
    peer_read(peer, "UNLISTEN \"b\"");
    int64_t asked = spin_monotonic();
    peer_pass(peer);
    check("a statement may take longer", spin_monotonic() - asked < config.statement_timeout);
    expect("the loop hears of it", host_await(made, "lost\n"),
           "listening\nlost: the server does not answer within the time (setting `connect_timeout`)\nlost\n");
    peer_end(peer);
    peer_pass(listener);
    peer = peer_open(listener);
    peer_read(peer, "LISTEN \"a\"");
    peer_fail(peer, "cannot execute LISTEN during recovery");
    peer_ready(peer, 'I');
    expect_part("a server refuses", host_ended(made), "-128 28000 cannot execute LISTEN during recovery");
    peer_end(peer);
    end(self);
}

static void notify(int peer, char channel, char number) {
    const char body[] = {0, 0, 0, 1, channel, 0, number, 0};
    peer_send(peer, 'A', body, sizeof body);
}

// A notification comes between the end of `LISTEN` and the sign that the server is ready.
static void test_early(void) {
    spin_self *self = make();
    spin_call *made = call_listen(self, "a", -1);
    int peer = open_listening(made);
    spin_call *other = call_listen(self, "b", -1);
    peer_read(peer, "LISTEN \"b\"");
    peer_send_text(peer, 'C', "LISTEN");
    notify(peer, 'b', '1');
    notify(peer, 'a', '2');
    expect("others have theirs", host_await(made, "a=2\n"), "listening\na=2\n");
    peer_ready(peer, 'I');
    host_await(other, "listening\n");
    notify(peer, 'b', '3');
    expect("nothing comes before `listening`", host_await(other, "b=3\n"), "listening\nb=3\n");
    host_cancel(made);
    host_cancel(other);
    end(self);
    peer_end(peer);
}

// A loop has no room while the server owes an answer.
static void test_asked_without_room(void) {
    spin_self *self = make();
    spin_call *made = call_listen(self, "a", 1);
    int peer = open_listening(made);
    notify(peer, 'a', '1');
    host_await_room(made);
    host_advance(config.keep_alive * 2);
    host_set_room(made, 1);
    peer_read(peer, "");
    notify(peer, 'a', '2');
    host_await_room(made);
    notify(peer, 'a', '3');
    // The plugin reads nothing, so it cannot see the answer either.
    host_advance((config.connect_timeout + config.statement_timeout) * 2);
    host_set_room(made, -1);
    expect("no time counts", host_await(made, "a=3\n"), "listening\na=1\na=2\na=3\n");
    peer_pass(peer);
    expect_part("then it counts again", host_await(made, "lost\n"), "a=3\nlost: the server does not answer");
    host_cancel(made);
    end(self);
    peer_end(peer);
}

// What is not a message comes while nothing is asked.
static void test_bad_message(void) {
    spin_self *self = make();
    spin_call *made = call_listen(self, "a", -1);
    int peer = open_listening(made);
    check("it is sent", send(peer, "A\0\0\0\1", 5, MSG_NOSIGNAL) == 5);
    expect_part("the loop hears of it", host_await(made, "lost\n"), "lost: lost synchronization with server");
    peer_end(peer);
    peer_pass(listener);
    peer = open_listening(made);
    expect_part("it listens again", host_await(made, "listening\n"), "lost\nlistening\n");
    host_cancel(made);
    end(self);
    peer_end(peer);
}

// The server has room for one connection, which runs statements.
static void test_log(void) {
    int losses = log_count("not connected to the server");
    int connections = log_count("connected to the server");
    spin_self *self = make();
    spin_call *made = call(self, "query", "x");
    int peer = peer_open(listener);
    peer_read(peer, "BEGIN");
    check("the log has the first connection", log_count("connected to the server") == connections + 1);
    spin_call *hears = call_listen(self, "a", -1);
    int other = peer_accept(listener);
    peer_fail(other, "sorry, too many clients already");
    peer_end(other);
    host_await(hears, "lost\n");
    check("the log says so", log_count("not connected to the server") == losses + 1);
    expect_part("and why", log_fields("not connected to the server"),
                " reason=cannot connect: FATAL:  sorry, too many clients already");
    peer_fail(peer, "no");
    peer_ready(peer, 'E');
    expect("a statement fails", host_ended(made), "-128 28000 no");
    peer_read(peer, "ROLLBACK");
    peer_complete(peer, "ROLLBACK", 'I');
    made = call(self, "execute", "x");
    peer_read_statement(peer);
    check("that is not a new connection", log_count("connected to the server") == connections + 1);
    peer_complete(peer, "DELETE 1", 'I');
    host_ended(made);
    host_cancel(hears);
    end(self);
    peer_end(peer);
}

void test_hearing(void) {
    listener = peer_listen();
    config.statement_timeout = 365 * 86400 * SECOND;
    test_silent_listening();
    test_early();
    test_asked_without_room();
    test_bad_message();
    test_log();
    close(listener);
}
