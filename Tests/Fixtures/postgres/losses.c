// Connections to the real server that do not open, or do not last; and TLS.
#include "world.h"
#include "server.h"
#include "../plugin-host/log.h"
#include "../plugin-host/plugin.h"
#include <stdio.h>
#include <string.h>

static const char active[] =
    "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ada' AND state = 'active')";
static const char kill_all[] = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ada'";

static void test_kills(spin_self *self) {
    spin_call *running = call(self, "execute", "INSERT INTO q SELECT 1 FROM pg_sleep(1000)");
    server_await(active);
    server_run(kill_all);
    expect("a statement is lost", host_ended(running),
           "-130 the connection is lost, and it is not known whether the change was made: "
           "57P01 terminating connection due to administrator command");
    running =
        call_transaction(self, (const char *[]){"INSERT INTO q VALUES (1)", "SELECT pg_sleep(1000)", NULL});
    server_await(active);
    server_run(kill_all);
    expect("a transaction is lost", host_ended(running),
           "-129 the connection is lost, and nothing was changed: "
           "statement 2: 57P01 terminating connection due to administrator command");
    expect("the next call connects again", query(self, "SELECT count(*) FROM q"),
           "count: integer 0 (0, 0)\n");
}

static void test_restart(spin_self *self) {
    expect("it works", query(self, "SELECT 5 AS a"), "a: integer 5 (5, 5)\n");
    server_kill();
    expect_start("the server is away", query(self, "SELECT 5 AS a"), "-1");
    expect("it cannot connect", query(self, "SELECT 5 AS a"),
           "-129 cannot connect: No such file or directory");
    server_start();
    expect("it works again", query(self, "SELECT 5 AS a"), "a: integer 5 (5, 5)\n");
}

void test_losses(void) {
    reset_config();
    spin_self *self = make();
    expect("a table is made", execute(self, "CREATE TABLE q (a int)"), "0 changes\n");
    test_kills(self);
    test_restart(self);
    end(self);
}

static void set_place(const char *host, const char *rest) {
    static char text[512];
    snprintf(text, sizeof text, "host=%s port=%d dbname=test %s", host, server_port(), rest);
    set_text(&config.server, text);
}

// One call of a new instance. The lookup of a name goes by the clock of the test.
static const char *try_once(const char *sql) {
    spin_self *self = make();
    spin_call *made = call(self, "query", sql);
    while (!test_host.cancelled(made))
        host_advance(SECOND / 1000);
    const char *text = host_ended(made);
    end(self);
    return text;
}

// An address that every interface may have.
static void test_interface(void) {
    set_text(&config.server, "host=fe80::1%lo port=1");
    check("the interface counts", !strstr(try_once("SELECT 1"), "Invalid argument"));
    expect_start("the log names the server", log_fields("not connected to the server"),
                 "server=[fe80::1%lo]:1 reason=cannot connect: ");
}

static const char by_tls[] = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

static void test_passwords(void) {
    set_place("127.0.0.1", "user=bob sslmode=require");
    set_text(&config.password, "correct horse");
    expect("with a password", try_once(by_tls), "ssl: boolean true\n");
    set_text(&config.password, "wrong horse");
    const char *text = try_once(by_tls);
    expect_part("with a wrong one", text, "FATAL:  password authentication failed for user \"bob\"");
    check("nobody reads it", !strstr(text, "horse"));
    set_text(&config.password, "");
    expect_part("without one", try_once(by_tls), "no password supplied");
    set_place("127.0.0.1", "user=nobody_here");
    expect_part("as a stranger", try_once(by_tls), "role \"nobody_here\" does not exist");
}

#ifndef __SANITIZE_THREAD__ // It does not know the thread on which glibc looks up names.
static void test_names(const char *rest) {
    // Perhaps the name has an address at which nobody listens, too.
    set_place("localhost", "user=ada sslmode=disable");
    expect("without TLS", try_once(by_tls), "ssl: boolean false\n");
    set_place("localhost", rest);
    expect("with a certificate", try_once(by_tls), "ssl: boolean true\n");
    set_place("localhost", "user=ada sslmode=verify-full sslrootcert=/dev/null");
    expect_start("without a root", try_once(by_tls), "-129 cannot connect: ");
    set_text(&config.server, "postgresql://nothing.invalid/test");
    expect_start("a name is not found", try_once("SELECT 1"), "-129 cannot find `nothing.invalid`: ");
}
#endif

void test_certificates(void) {
    char rest[256];
    reset_config();
    config.connect_timeout = config.statement_timeout = 3600 * SECOND;
    set_place("127.0.0.1", "user=ada sslmode=disable");
    expect("without TLS", try_once(by_tls), "ssl: boolean false\n");
    set_place("127.0.0.1", "user=ada sslmode=require");
    expect("with TLS", try_once(by_tls), "ssl: boolean true\n");
    expect("an answer of many records", try_once("SELECT repeat('x', 900) FROM generate_series(1, 900)"),
           "900 rows\n");
    snprintf(rest, sizeof rest, "user=ada sslmode=verify-full sslrootcert=%s/cert.pem", server_folder());
    set_place("127.0.0.1", rest);
    expect_part("with the certificate of another name", try_once(by_tls),
                "does not match host name \"127.0.0.1\"");
    test_passwords();
    test_interface();
#ifndef __SANITIZE_THREAD__
    test_names(rest);
#endif
}

void test_settings(void) {
    static const struct {
        const char *server, *reason;
    } cases[] = {
        {"", "-5 setting `server`: it names no host"},
        {"postgresql://", "-5 setting `server`: it names no host"},
        {"postgresql://ada:secret@localhost/test",
         "-5 setting `server`: a password belongs in the setting `password`"},
        {"host=localhost password=secret",
         "-5 setting `server`: a password belongs in the setting `password`"},
        {"hunter2 word", "-5 setting `server`: it must be `postgresql://USER@HOST:PORT/DATABASE`, or "
                         "`host=… dbname=…`"},
        {"host=a,b", "-5 setting `server`: it must name one host"},
        {"postgresql://a,b/test", "-5 setting `server`: it must name one host"},
        {"host=a port=70000", "-5 setting `server`: the port must be a number up to 65535"},
        {"host=a port=1,2", "-5 setting `server`: the port must be a number up to 65535"},
        {"host=a sslmode=verify_full", "-5 setting `server`: `sslmode` is `disable`, `allow`, `prefer`, "
                                       "`require`, `verify-ca` or `verify-full`"},
        {"postgresql://a/test?channel_binding=yes",
         "-5 setting `server`: `channel_binding` is `disable`, `prefer` or `require`"},
        {"host=a ssl_min_protocol_version=1.3",
         "-5 setting `server`: `ssl_min_protocol_version` is `TLSv1`, `TLSv1.1`, `TLSv1.2` or `TLSv1.3`"},
        {"host=a ssl_max_protocol_version=TLSv1.4",
         "-5 setting `server`: `ssl_max_protocol_version` is `TLSv1`, `TLSv1.1`, `TLSv1.2` or `TLSv1.3`"},
        {"host=a sslsni=x", "-5 setting `server`: `sslsni` is `0` or `1`"},
        {"host=a hostaddr=127.0.0.1",
         "-5 setting `server`: it may have `host`, `port`, `dbname`, `user`, `application_name`, `options`, "
         "`channel_binding` and the keywords of TLS, and has another one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset_config();
        set_text(&config.server, cases[i].server);
        expect(cases[i].server, reason_of_create(), cases[i].reason);
    }
    reset_config();
    config.reconnect_most = config.reconnect_least - 1;
    expect("the waits are in order", reason_of_create(),
           "-5 setting `reconnect_least`: it is greater than `reconnect_most`");
    reset_config();
    config.password = (spin_string){"a\0b", 3};
    expect("a password has no NUL", reason_of_create(), "-5 setting `password`: it has a NUL character");
}
