// Peers that send no more, and take what they get slowly or not at all.
#include "faults.h"
#include "world.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { large = 1 << 20, part = 40000 };
static char bytes[large];

static spin_self *begin_with(spin_duration answer_timeout, spin_call **call, int *peer) {
    reset_config();
    config.answer_timeout = answer_timeout;
    config.most_unsent = large + 100;
    memset(bytes, 'a', sizeof bytes);
    return serve_local(call, peer);
}

// The peer sends no more, and the plugin knows.
static void half_close(spin_self *self, int peer) {
    shutdown(peer, SHUT_WR);
    settle(self);
}

// The peer takes a line of all bytes, a part each nine seconds.
static void hear_slowly(spin_self *self, int peer) {
    for (int heard = 0; heard + part <= large; heard += part) {
        pass(self, 9 * SECOND);
        hear(peer, bytes, part);
    }
    hear(peer, bytes, large % part);
    hear(peer, "\n", 1);
}

// As long as bytes move, a peer that reads slowly gets its answer whole.
static void test_slow_answer(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin_with(SECOND, &call, &peer);
    half_close(self, peer);
    spin_call *sent = call_send(self, connection(0), bytes, large, NULL);
    settle(self);
    hear_slowly(self, peer);
    expect("all is sent", host_ended(sent), "");
    pass(self, SECOND);
    hear_end(peer);
    expect("then it is closed", host_await(call, "closed it\n"),
           "listening\nopened 0\nclosed 0: the peer has closed it\n");
    end(self, call);
}

// A peer that takes nothing has ten seconds, whatever the settings say.
static void test_no_progress(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin_with(0, &call, &peer);
    spin_call *sent = call_send(self, connection(0), bytes, large, NULL);
    settle(self);
    half_close(self, peer);
    pass(self, 10 * SECOND - 1);
    hear(peer, bytes, part);
    for (int i = 0; i < 2; i++) {
        check("it is open", !strstr(host_await(call, ""), "closed"));
        pass(self, i == 0 ? 1 : 10 * SECOND);
    }
    expect("it is closed", host_await(call, "nothing\n"),
           "listening\nopened 0\nclosed 0: the peer sends no more, and takes nothing\n");
    expect("what waits fails", host_ended(sent),
           "-128 the connection is lost: the peer sends no more, and takes nothing");
    close(peer);
    end(self, call);
}

// The system does not see single bytes that the peer takes.
static void test_unseen_progress(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin_with(SECOND, &call, &peer);
    call_send(self, connection(0), bytes, large, NULL);
    settle(self);
    half_close(self, peer);
    pass(self, 10 * SECOND);
    hear(peer, bytes, 100);
    pass(self, 10 * SECOND);
    expect("it is closed", host_await(call, "nothing\n"),
           "listening\nopened 0\nclosed 0: the peer sends no more, and takes nothing\n");
    close(peer);
    end(self, call);
}

// Without patience, a connection is closed as soon as what waits is sent.
static void test_no_patience(void) {
    for (int waits = 0; waits < 2; waits++) {
        int peer;
        spin_call *call, *sent = NULL;
        spin_self *self = begin_with(0, &call, &peer);
        if (waits)
            sent = call_send(self, connection(0), bytes, large, NULL);
        half_close(self, peer);
        if (waits) {
            hear(peer, bytes, large);
            hear(peer, "\n", 1);
            expect("what waits is sent", host_ended(sent), "");
        }
        hear_end(peer);
        expect("it is closed", host_await(call, "closed it\n"),
               "listening\nopened 0\nclosed 0: the peer has closed it\n");
        end(self, call);
    }
}

// An app that closes a connection waits as long as bytes move.
static void test_slow_close(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin_with(SECOND, &call, &peer);
    spin_call *sent = call_send(self, connection(0), bytes, large, NULL);
    call_close(self, connection(0));
    settle(self);
    hear_slowly(self, peer);
    expect("all is sent", host_ended(sent), "");
    hear_end(peer);
    host_await(call, "closed 0: the app has closed it\n");
    end(self, call);
}

// The system has no memory for a moment.
static void test_no_memory(void) {
    static const int errors[] = {ENOBUFS, ENOMEM};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        int peer;
        spin_call *call;
        spin_self *self = begin_with(SECOND, &call, &peer);
        fail_sends(2, errors[i]);
        spin_call *sent = call_send(self, connection(0), "yes", 3, NULL);
        for (int pause = 0; pause < 2; pause++)
            pass(self, SECOND / 10);
        expect("it is sent later", host_ended(sent), "");
        hear(peer, "yes\n", 4);
        fail_sends(1, errors[i]);
        sent = call_send(self, connection(0), "no", 2, NULL);
        expect("it closes", host_ended(call_close(self, connection(0))), "");
        pass(self, SECOND / 10);
        hear(peer, "no\n", 3);
        hear_end(peer);
        host_await(call, "closed 0: the app has closed it\n");
        end(self, call);
    }
}

// A peer that takes no more can still send, and the app can close the connection.
static void test_takes_no_more(void) {
    int peer;
    spin_call *call;
    spin_self *self = begin_with(SECOND, &call, &peer);
    shutdown(peer, SHUT_RD);
    expect("it is not sent", host_ended(call_send(self, connection(0), "a", 1, NULL)),
           "-128 the connection is lost: Broken pipe");
    expect("nor is the next one", host_ended(call_send(self, connection(0), "a", 1, NULL)),
           "-128 the peer takes no more");
    say(peer, "one\n", 4);
    host_await(call, "one\n");
    call_close(self, connection(0));
    expect("it ends at once", host_await(call, "closed it\n"),
           "listening\nopened 0\nframe 0 one = one\nclosed 0: the app has closed it\n");
    close(peer);
    end(self, call);
    // When the peer sends no more either, nothing keeps the connection.
    self = begin_with(3600 * SECOND, &call, &peer);
    half_close(self, peer);
    fail_sends(1, EHOSTUNREACH);
    expect("it is not sent", host_ended(call_send(self, connection(0), "a", 1, NULL)),
           "-128 the connection is lost: No route to host");
    expect("it ends", host_await(call, "host\n"), "listening\nopened 0\nclosed 0: No route to host\n");
    close(peer);
    end(self, call);
}

void test_stalls(void) {
    test_slow_answer();
    test_no_progress();
    test_unseen_progress();
    test_no_patience();
    test_slow_close();
    test_no_memory();
    test_takes_no_more();
}
