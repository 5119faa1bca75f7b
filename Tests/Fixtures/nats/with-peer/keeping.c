// Several servers, connections that last or are lost, and the end of instances.
#include "../parts.h"
#include "scene.h"
#include <stdio.h>
#include <unistd.h>

// The plugin goes from one server to the next, and rests after the last one.
void test_servers(void) {
    int ports[2], listeners[2] = {peer_listen(&ports[0]), peer_listen(&ports[1])}, gone;
    close(peer_listen(&gone));
    char urls[3][64];
    snprintf(urls[0], sizeof *urls, "nats://127.0.0.1:%d", gone);
    snprintf(urls[1], sizeof *urls, "nats://127.0.0.1:%d", ports[0]);
    snprintf(urls[2], sizeof *urls, "nats://127.0.0.1:%d", ports[1]);
    reset_config(gone);
    use_servers((const char *const[]){urls[0], urls[1], urls[2]}, 3);
    spin_self *self = make();
    spin_call *connection = call_connection(self);
    int peer = peer_accept(listeners[0]);
    host_await(connection, "connected\n");
    spin_call *call = call_subscribe(self, "a", "");
    char ticket[32];
    snprintf(ticket, sizeof ticket, "%s", peer_expect(peer, "SUB a "));
    peer_message(peer, "a", ticket, "", "one");
    host_await(call, "one\n");
    // It is about a message of a call that is over, and not why the connection ends.
    peer_send(peer, "-ERR 'Permissions Violation for Publish to \"b\"'\r\n");
    close(peer);
    await_reason(connection, "the server has closed the connection");
    try_again(self, SECOND);
    peer = peer_accept(listeners[1]);
    expect("it subscribes again", peer_expect(peer, "SUB a "), ticket);
    peer_message(peer, "a", ticket, "", "two");
    expect("both come", host_await(call, "two\n"), "a one\na two\n");
    close(listeners[0]);
    close(listeners[1]);
    peer_send(peer, "-ERR 'Stale Connection'\r\n");
    close(peer);
    await_reason(connection, "the server has closed the connection: Stale Connection");
    try_again(self, 2 * SECOND);
    await_reason(connection, "cannot connect: Connection refused");
    host_cancel(call);
    unwatch(self, connection);
}

// Each server says once why it refuses the client, also when another one is tried after it.
void test_reasons(void) {
    int ports[2], listeners[2] = {peer_listen(&ports[0]), peer_listen(&ports[1])};
    char urls[2][64];
    for (int i = 0; i < 2; i++)
        snprintf(urls[i], sizeof *urls, "nats://127.0.0.1:%d", ports[i]);
    reset_config(ports[0]);
    use_servers((const char *const[]){urls[0], urls[1]}, 2);
    spin_call *connection;
    spin_self *self = watch(&connection);
    static const char *const errors[] = {"one", "two", "one", "three"};
    static const char *const reasons[] = {"the server refuses the client: one",
                                          "the server refuses the client: two", NULL,
                                          "the server refuses the client: three"};
    for (int i = 0; i < 4; i++) {
        char text[64];
        int peer = peer_open(listeners[i % 2]);
        snprintf(text, sizeof text, "-ERR '%s'\r\n", errors[i]);
        peer_send(peer, text);
        close(peer);
        if (reasons[i])
            await_reason(connection, reasons[i]);
        if (i == 1)
            try_again(self, SECOND);
    }
    try_again(self, 2 * SECOND);
    int peer = peer_accept(listeners[0]);
    expect("each reason came once", host_await(connection, "connected\n"),
           "disconnected the client has not connected yet\n"
           "disconnected the server refuses the client: one\n"
           "disconnected the server refuses the client: two\n"
           "disconnected the server refuses the client: three\nconnected\n");
    unwatch(self, connection);
    peer_end(peer);
    close(listeners[0]);
    close(listeners[1]);
}

// A server that is silent is lost. One that answers stays, also while a loop has no room.
void test_keep_alive(void) {
    spin_call *connection;
    listen_once();
    spin_self *self = watch(&connection);
    int peer = peer_accept(listener);
    host_await(connection, "connected\n");
    spin_call *full = host_call("run");
    host_set_room(full, 0);
    subscribe_with(self, full, "a");
    const char *ticket = peer_expect(peer, "SUB a ");
    peer_message(peer, "a", ticket, "", "one");
    host_await_room(full);
    for (int i = 0; i < 3; i++) {
        host_await_timer(60 * SECOND);
        host_advance(60 * SECOND);
        peer_expect(peer, "PING");
        peer_send(peer, "PONG\r\nPING\r\n");
        peer_expect(peer, "PONG");
    }
    host_set_room(full, -1);
    expect("it comes", host_await(full, "one\n"), "a one\n");
    host_await_timer(60 * SECOND);
    host_advance(60 * SECOND);
    peer_expect(peer, "PING");
    host_await_timer(60 * SECOND);
    host_advance(60 * SECOND);
    await_reason(connection, "the server is silent (setting `keep_alive`)");
    peer_end(peer);
    host_cancel(full);
    unwatch(self, connection);
    close(listener);
}

// An instance ends in each state of its connection, with calls that wait.
void test_stops(void) {
    static const char *const greetings[] = {NULL, "", PEER_INFO,
                                            "INFO {\"headers\":true,\"tls_required\":true}\r\n"};
    listen_once();
    for (size_t i = 0; i < sizeof greetings / sizeof *greetings; i++) {
        spin_self *self = make();
        spin_call *calls[] = {call_publish(self, "a", "x"), call_request(self, "a", "x"),
                              call_store(self, "a", "x", NULL, ""), call_subscribe(self, "a", ""),
                              call_consume(self, "s", "c", 1)};
        int peer = peer_open(listener);
        if (greetings[i])
            peer_send(peer, greetings[i]);
        settle(self);
        for (size_t j = 0; j < sizeof calls / sizeof *calls; j++)
            host_cancel(calls[j]);
        end(self);
        peer_end(peer);
    }
    close(listener);
}
