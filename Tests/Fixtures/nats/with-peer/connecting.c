// How a connection is made, and how it is lost.
#include "../parts.h"
#include "scene.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// A server that says nothing, a part of a line, or a part of a record of TLS. The plugin gives it up in time.
void test_silence(void) {
    static const char *const parts[] = {"",
                                        "INFO {\"headers\":true",
                                        "\x16\x03\x01\x02",
                                        "INFO {\"headers\":true,\"tls_required\":true}\r\n",
                                        "INFO {\"headers\":true,\"tls_required\":true}\r\n",
                                        PEER_INFO};
    listen_once();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        spin_call *connection;
        spin_self *self = watch(&connection);
        int peer = peer_open(listener);
        peer_send(peer, parts[i]);
        if (i == 3) { // The client begins TLS, and gets half a record.
            char record[5];
            check("a record of TLS comes", recv(peer, record, sizeof record, MSG_WAITALL) == sizeof record);
            peer_send(peer, "\x16\x03\x03");
        }
        settle(self);
        host_await_timer(10 * SECOND);
        host_advance(10 * SECOND);
        await_reason(connection, "the server does not answer (setting `connect_timeout`)");
        peer_end(peer);
        unwatch(self, connection);
    }
    close(listener);
}

// What a server says that is not a server of NATS, or not one that the plugin can use.
void test_greetings(void) {
    static const char not_nats[] = "what the server sends is not NATS";
    static const struct {
        const char *greeting, *reason;
    } cases[] = {
        {"HTTP/1.1 400 Bad Request\r\n\r\n", not_nats},
        {"PING\r\n", not_nats},
        {"MSG a 1 1\r\nx\r\n", not_nats},
        {"\r\n", not_nats},
        {"INFO {}\r\n", "the server does not know headers: it is older than nats-server 2.2"},
        {"INFO [[[[\r\n", "the server does not know headers: it is older than nats-server 2.2"},
        {"INFO {\"headers\":true,\"tls_required\":true}\r\nPING\r\n",
         "the server has sent something before TLS"},
        {"-ERR 'maximum connections exceeded'\r\n",
         "the server refuses the client: maximum connections exceeded"},
    };
    listen_once();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        spin_call *connection;
        spin_self *self = watch(&connection);
        int peer = peer_open(listener);
        peer_send(peer, cases[i].greeting);
        shutdown(peer, SHUT_WR);
        await_reason(connection, cases[i].reason);
        peer_end(peer);
        unwatch(self, connection);
    }
    char url[64];
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", port);
    use_servers((const char *const[]){url}, 1);
    spin_call *connection;
    spin_self *self = watch(&connection);
    int peer = peer_open(listener);
    peer_send(peer, PEER_INFO);
    await_reason(connection, "the server does not offer TLS");
    peer_end(peer);
    unwatch(self, connection);
    close(listener);
}

// A client that is refused waits longer each time, and sends its password to nobody but the server.
void test_refusals(void) {
    spin_call *connection;
    listen_once();
    config.user = TEXT("joe \"x\"");
    config.password = TEXT("secret\\");
    config.name = TEXT("n\xc3\xa4me");
    spin_self *self = watch(&connection);
    for (int i = 0; i < 4; i++) {
        int peer = peer_open(listener);
        const char *client = NULL;
        peer_send(peer, PEER_INFO);
        client = peer_expect(peer, "CONNECT ");
        check("the user",
              strstr(client, "\"user\":\"joe \\u0022x\\u0022\",\"pass\":\"secret\\u005c\"") != NULL);
        check("the name", strstr(client, "\"name\":\"n\xc3\xa4me\"") != NULL);
        peer_send(peer, "-ERR 'Authorization Violation'\r\n");
        shutdown(peer, SHUT_WR);
        if (i == 0)
            await_reason(connection, "the server refuses the client: Authorization Violation");
        peer_end(peer);
        settle(self);
        // The wait is at least a half of one that doubles, so nothing is due sooner.
        host_await_timer((SECOND << i));
        host_advance((SECOND << i) / 2 - 1);
        settle(self);
        fcntl(listener, F_SETFL, O_NONBLOCK);
        check("it does not come at once", accept(listener, NULL, NULL) < 0);
        fcntl(listener, F_SETFL, 0);
        host_advance(SECOND << i);
    }
    int peer = peer_accept(listener);
    host_await(connection, "connected\n");
    expect("nothing else was heard", host_await(connection, "connected\n"),
           "disconnected the client has not connected yet\n"
           "disconnected the server refuses the client: Authorization Violation\nconnected\n");
    unwatch(self, connection);
    peer_end(peer);
    close(listener);
}

// A client with credentials shows its JWT, and signs what the server has made up. Its seed stays with it.
void test_credentials(void) {
    static const char credentials[] =
        "-----BEGIN NATS USER JWT-----\r\na.b_c-d\r\n------END NATS USER JWT------\r\n"
        "-----BEGIN USER NKEY SEED-----\r\n"
        "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\r\n"
        "------END USER NKEY SEED------\r\n";
    listen_once();
    config.credentials = TEXT(credentials);
    spin_self *self = make();
    int peer = peer_open(listener);
    const char *client =
        peer_greet(peer, "INFO {\"headers\":true,\"max_payload\":1024,\"nonce\":\"abc\"}\r\n");
    const char *signature = strstr(client, "\"jwt\":\"a.b_c-d\",\"sig\":\"");
    check("the JWT and a signature", signature != NULL && strcspn(signature + 23, "\"") == 86);
    check("not the seed, and not the key", !strstr(client, "SUAC") && !strstr(client, "nkey"));
    peer_expect(peer, "SUB _INBOX.");
    finish(self);
}
