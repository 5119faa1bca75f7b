// Calls that send something, and what becomes of them.
#include "../parts.h"
#include "scene.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void answer_status(const char *status) {
    char text[256];
    size_t size = strlen("NATS/1.0 \r\n\r\n") + strlen(status);
    snprintf(text, sizeof text, "HMSG %s 1 %zu %zu\r\nNATS/1.0 %s\r\n\r\n\r\n", reply, size, size, status);
    peer_send(peer, text);
}

void test_answers(void) {
    listen_once();
    spin_self *self = connect_once();
    spin_call *call = call_publish(self, "a.b", "hello");
    peer_expect(peer, "PUB a.b 5");
    expect("the data", peer_line(peer), "hello");
    peer_expect(peer, "PING");
    peer_send(peer, "PONG\r\n");
    expect("it is published", host_ended(call), "");
    call = call_send(self, "publish", "a", (spin_bytes){(const uint8_t *)"x", 1}, "A: b");
    peer_expect(peer, "HPUB a 18 19");
    peer_expect(peer, "NATS/1.0");
    peer_expect(peer, "A: b");
    peer_expect(peer, "");
    expect("the data with headers", peer_line(peer), "x");
    peer_expect(peer, "PING");
    peer_send(peer, "PONG\r\n");
    expect("it is published", host_ended(call), "");
    call = call_request(self, "a", "question");
    expect("the question", take_message("PUB a "), "question");
    answer("reply");
    answer("a second one, which nobody wants");
    expect("the answer", host_ended(call), "answer reply\n");
    call = call_request(self, "a", "question");
    take_message("PUB a ");
    answer_status("503");
    expect("nobody", host_ended(call), "-130 nobody answers requests of this subject");
    call = call_store(self, "a", "x", NULL, "");
    peer_expect(peer, "HPUB a ");
    peer_expect(peer, "NATS/1.0");
    expect("the key of the run", peer_line(peer), "Nats-Msg-Id: key of the run");
    host_cancel(call);
    finish(self);
}

// Reads what `store` sends, and answers it.
static void answer_store(const char *data) {
    snprintf(reply, sizeof reply, "%s", peer_expect(peer, "HPUB a "));
    *strchr(reply, ' ') = 0;
    for (int lines = 0; lines < 4; lines++)
        peer_line(peer);
    answer(data);
}

static void test_store(spin_self *self, const char *data, const char *result) {
    spin_call *call = call_store(self, "a", "x", NULL, "1");
    answer_store(data);
    expect(data, host_ended(call), result);
}

static void test_stores(spin_self *self) {
    static const char no_answer[] =
        "-128 the stream does not store the message: the answer is not one of a stream";
    test_store(self, "{\"stream\":\"S\", \"seq\": 12}", "stored S #12\n");
    test_store(self, " { \"seq\":1,\"duplicate\":true,\"stream\":\"\\u00e4\\ud83d\\ude00\\n\"} ",
               "stored \xc3\xa4\xf0\x9f\x98\x80\n #1 again\n");
    test_store(self, "{\"error\":{\"code\":503,\"description\":\"wrong last sequence: 3\"},\"stream\":\"S\"}",
               "-128 the stream does not store the message: wrong last sequence: 3");
    test_store(self, "{\"stream\":\"\xff\\\xc3\xa4\xc3\\n\",\"seq\":1}",
               "stored \xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\n #1\n");
    // The longest name of a stream.
    char name[256] = "a", answered[300], result[300];
    for (size_t size = 1; size < 255; size += 2)
        memcpy(name + size, "\xc3\xa4", 2);
    snprintf(answered, sizeof answered, "{\"stream\":\"%s\",\"seq\":1}", name);
    snprintf(result, sizeof result, "stored %s #1\n", name);
    test_store(self, answered, result);
    static const char *const junk[] = {
        "",   "{",  "{\"stream", "[{\"stream\":1}]", "{\"stream\"", "{\"a\":[", "{\"a\":\"\\", "{\"a\":\"\\u",
        "\"", "{]}"};
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++)
        test_store(self, junk[i], no_answer);
}

// What is lost with a connection, and what is sent once more.
void test_losses(void) {
    listen_once();
    spin_self *self = connect_once();
    test_stores(self);
    spin_call *connection = call_connection(self);
    host_await(connection, "connected\n");
    spin_call *publish = call_publish(self, "a", "x"), *request = call_request(self, "b", "x");
    spin_call *store = call_store(self, "a", "x", NULL, "1"),
              *ack = call_tell(self, "acknowledge", "$JS.ACK.1");
    peer_expect(peer, "PUB a 1");
    for (int lines = 0; lines < 10; lines++)
        peer_line(peer);
    close(peer);
    static const char lost[] =
        "-129 the connection was lost, and it is not known whether the server has the message";
    expect("a message", host_ended(publish), lost);
    expect("a request", host_ended(request), lost);
    host_await(connection, "disconnected the server has closed the connection\n");
    spin_call *waits = call_publish(self, "c", "x");
    try_again(self, SECOND);
    peer = peer_accept(listener);
    answer_store("{\"stream\":\"S\",\"seq\":1,\"duplicate\":true}");
    expect("what may be sent twice", host_ended(store), "stored S #1 again\n");
    expect("the acknowledgement", take_message("PUB $JS.ACK.1 "), "+ACK");
    answer("");
    expect("it is known", host_ended(ack), "");
    peer_expect(peer, "PUB c 1");
    peer_line(peer);
    peer_expect(peer, "PING");
    peer_send(peer, "PONG\r\n");
    expect("what has waited", host_ended(waits), "");
    close(peer);
    host_await(connection, "disconnected the server has closed the connection\n");
    waits = call_publish(self, "c", "x");
    close(listener);
    settle(self);
    host_advance(5 * SECOND);
    const char *reason = host_ended(waits);
    check("there is no connection", strncmp(reason, "-129 there is no connection: ", 29) == 0);
    host_cancel(connection);
    end(self);
    listener = -1;
}

// What the server does not allow.
void test_permissions(void) {
    listen_once();
    spin_self *self = connect_once();
    spin_call *refused = call_subscribe(self, "secret.>", "q"), *allowed = call_subscribe(self, "a", "");
    peer_expect(peer, "SUB secret.> q ");
    char ticket[32];
    snprintf(ticket, sizeof ticket, "%s", peer_expect(peer, "SUB a "));
    peer_send(peer, "-ERR 'Permissions Violation for Subscription to \"secret.>\" using queue \"q\"'\r\n");
    expect("a subscription", host_ended(refused), "-128 the server refuses the subscription to `secret.>`");
    peer_expect(peer, "UNSUB ");
    spin_call *publish = call_publish(self, "b", "x");
    peer_expect(peer, "PUB b 1");
    peer_send(peer, "-ERR 'Permissions Violation for Publish to \"b\"'\r\n");
    expect("a message", host_ended(publish), "-128 the server refuses messages with the subject `b`");
    spin_call *request = call_request(self, "c", "x");
    peer_expect(peer, "x");
    peer_expect(peer, "PING");
    peer_send(peer, "PONG\r\n");
    peer_expect(peer, "PUB c ");
    peer_send(peer, "-ERR 'Permissions Violation for Publish to \"c\"'\r\n");
    expect("a request", host_ended(request), "-128 the server refuses messages with the subject `c`");
    peer_send(peer, "-ERR 'Permissions Violation for Publish to \"d\"'\r\n-ERR 'odd \x01\xff'\r\n-ERR\r\n");
    peer_message(peer, "a", ticket, "", "still there");
    host_await(allowed, "still there\n");
    host_cancel(allowed);
    finish(self);
}
