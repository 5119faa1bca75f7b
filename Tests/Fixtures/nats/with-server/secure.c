// Passwords, tokens, keys and TLS of a real server.
#include "../parts.h"
#include "server.h"
#include "../world.h"
#include <stdio.h>
#include <string.h>

static const char seed[] = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
#define PUBLIC_KEY "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

static void expect_connected(void) {
    spin_self *self = make();
    await_connection(self);
    expect("it works", host_ended(call_publish(self, "a", "x")), "");
    end(self);
}

static void expect_refused(const char *reason) {
    char text[300];
    spin_self *self = make();
    spin_call *connection = call_connection(self);
    snprintf(text, sizeof text, "disconnected %s\n", reason);
    host_await(connection, text);
    host_cancel(connection);
    end(self);
}

static void test_password(void) {
    static const char refused[] = "the server refuses the client: Authorization Violation";
    struct server server;
    server_begin(&server,
                 "authorization: { users: [ { user: joe, password: \"s3cr\\\"et\" }, { nkey: " PUBLIC_KEY
                 ", permissions: { publish: [\"a\"], subscribe: [\"b\", \"_INBOX.>\"] } } ] }\n");
    reset_config(server.port);
    expect_refused(refused);
    config.user = TEXT("joe");
    config.password = TEXT("wrong");
    expect_refused(refused);
    config.password = TEXT("s3cr\"et");
    expect_connected();
    reset_config(server.port);
    config.nkey = TEXT(seed);
    expect_connected();
    spin_self *self = make();
    await_connection(self);
    expect("a subject that is not allowed", host_ended(call_publish(self, "c", "x")),
           "-128 the server refuses messages with the subject `c`");
    expect("a subscription", host_ended(call_subscribe(self, "c", "q")),
           "-128 the server refuses the subscription to `c`");
    end(self);
    config.inbox = TEXT("other");
    self = make();
    await_connection(self);
    expect("answers", host_ended(call_request(self, "a", "x")),
           "-128 the server refuses the subscription for answers (setting `inbox`)");
    expect("messages of a consumer", host_ended(call_consume(self, "s", "c", 1)),
           "-128 the server refuses the subscription for messages (setting `inbox`)");
    end(self);
    server_end(&server);
    server_begin(&server, "authorization: { token: \"t0ken\" }\n");
    reset_config(server.port);
    config.token = TEXT("wrong");
    expect_refused(refused);
    config.token = TEXT("t0ken");
    expect_connected();
    server_end(&server);
}

// Permissions are about subjects as they are, and about queues.
static void test_permission_names(void) {
    struct server server;
    server_begin(&server, "authorization: { users: [ { user: joe, password: x, permissions: {"
                          " publish: { deny: [\"a\\\"b\", \"c\\\\d\"] },"
                          " subscribe: [\"q workers\", \"_INBOX.>\"] } } ] }\n");
    reset_config(server.port);
    config.user = TEXT("joe");
    config.password = TEXT("x");
    spin_self *self = make();
    await_connection(self);
    expect("a quote", host_ended(call_publish(self, "a\"b", "x")),
           "-128 the server refuses messages with the subject `a\"b`");
    expect("a backslash", host_ended(call_publish(self, "c\\d", "x")),
           "-128 the server refuses messages with the subject `c\\d`");
    spin_call *workers = call_subscribe(self, "q", "workers");
    expect("no queue", host_ended(call_subscribe(self, "q", "")),
           "-128 the server refuses the subscription to `q`");
    expect("another queue", host_ended(call_subscribe(self, "q", "other")),
           "-128 the server refuses the subscription to `q`");
    expect("an invisible character", host_ended(call_subscribe(self, "x\xe2\x80\x8b", "")),
           "-128 the server refuses the subscription to `x\xe2\x80\x8b`");
    expect("it has come", host_ended(call_publish(self, "q", "work")), "");
    expect("the queue that is allowed", host_await(workers, "work\n"), "q work\n");
    host_cancel(workers);
    end(self);
    server_end(&server);
}

static void make_certificate(const char *folder, const char *name, const char *subject) {
    char key[96], certificate[96], request[512];
    snprintf(key, sizeof key, "%s/%s.key", folder, name);
    snprintf(certificate, sizeof certificate, "%s/%s.pem", folder, name);
    snprintf(request, sizeof request, "subjectAltName=%s", subject);
    run_program((char *[]){"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                           "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
                           "-addext", request, "-keyout", key, "-out", certificate, NULL});
}

// A certificate that is trusted, and has another name.
static void test_name(const char *certificate, const char *key) {
    struct server server;
    char text[512], url[64];
    snprintf(text, sizeof text, "tls: { cert_file: \"%s\", key_file: \"%s\" }\n", certificate, key);
    server_begin(&server, text);
    reset_config(server.port);
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", server.port);
    use_servers((const char *const[]){url}, 1);
    config.ca_file = (spin_string){certificate, strlen(certificate)};
    expect_refused("the certificate of the server is refused: IP address mismatch");
    server_end(&server);
}

static void test_tls(void) {
    struct server server, plain;
    char url[64], ca[96], certificate[96], key[96];
    server_begin(&plain, "");
    make_certificate(plain.folder, "server", "IP:127.0.0.1");
    make_certificate(plain.folder, "client", "DNS:client");
    snprintf(ca, sizeof ca, "%s/server.pem", plain.folder);
    snprintf(certificate, sizeof certificate, "%s/client.pem", plain.folder);
    snprintf(key, sizeof key, "%s/client.key", plain.folder);
    char text[1024];
    snprintf(text, sizeof text,
             "tls: { cert_file: \"%s\", key_file: \"%s/server.key\", ca_file: \"%s\", verify: true }\n", ca,
             plain.folder, certificate);
    server_begin(&server, text);
    reset_config(server.port);
    // Also without `tls://`, since the server demands it.
    expect_refused("the certificate of the server is refused: self-signed certificate");
    config.ca_file = (spin_string){ca, strlen(ca)};
    expect_refused("the server refuses the client: sslv3 alert bad certificate");
    config.certificate_file = (spin_string){certificate, strlen(certificate)};
    config.key_file = (spin_string){key, strlen(key)};
    expect_connected();
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", server.port);
    use_servers((const char *const[]){url}, 1);
    expect_connected();
    // A large message takes several records of TLS.
    static uint8_t data[1000000];
    spin_self *self = make();
    spin_call *call = call_subscribe(self, "a", "");
    expect("it is sent", host_ended(call_send(self, "publish", "a", (spin_bytes){data, sizeof data}, NULL)),
           "");
    expect("it comes", host_await(call, "bytes\n"), "a 1000000 bytes\n");
    host_cancel(call);
    end(self);
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", plain.port);
    expect_refused("the server does not offer TLS");
    server_end(&server);
    test_name(certificate, key);
    server_end(&plain);
}

void test_secure(void) {
    test_password();
    test_permission_names();
    test_tls();
}
