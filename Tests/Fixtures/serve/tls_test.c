// TLS of `serve`, with a client of GnuTLS and certificates that the test makes: changed files, and files that cannot be
// used.
#include "tls_test.h"
#include "parts.h"
#include "secure.h"
#include "certificate.h"
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How often the server has run libmicrohttpd. The linker has it call these instead. */
static atomic_int runs;
enum MHD_Result __real_MHD_run(struct MHD_Daemon *daemon);
enum MHD_Result __wrap_MHD_run(struct MHD_Daemon *daemon);

enum MHD_Result __wrap_MHD_run(struct MHD_Daemon *daemon) {
    atomic_fetch_add(&runs, 1);
    return __real_MHD_run(daemon);
}

static void test_changed_certificate(spin_self *self) {
    char found[8];
    struct client first;
    int where = port(self);
    connect_secure(&first, where);
    check("the first certificate is there", serial_of(&first) == 1);
    make_certificate(2);
    check("a new connection gets the changed certificate", serial_at(where) == 2);
    make_certificate(3);
    check("so does the next one", serial_at(where) == 3);
    expect("a connection of before is not lost", ask_secure(&first, found), "503");
    disconnect(&first);
}

static void test_broken_certificate(spin_self *self) {
    int where = port(self);
    write_file(key_path, "no key", 6);
    check("the last good certificate stays", serial_at(where) == 3);
    plugin_life()->stop(self);
    start(self);
    check("it stays when the instance starts again", serial_at(port(self)) == 3);
    make_certificate(4);
    unlink(key_path);
    check("it stays without a file", serial_at(port(self)) == 3);
    make_certificate(5);
    check("then the next one comes", serial_at(port(self)) == 5);
}

// A certificate and a key that do not fit may be replaced one after the other.
static void test_two_renames(void) {
    static const char warning[] = "the changed certificate is not used setting `key_file`: ";
    char before[4096], after[4096];
    const int64_t usual = certificate_retry_delay;
    const int warnings = logged(warning);
    certificate_retry_delay = 0;
    spin_self *self = create();
    start(self);
    int where = port(self);
    size_t size = read_whole(key_path, before);
    make_certificate(6);
    size_t next_size = read_whole(key_path, after);
    write_file(key_path, before, size);
    check("between two renames the last good certificate stays", serial_at(where) == 5);
    check("nothing is wrong yet", logged(warning) == warnings);
    check("the files are read again, though nothing has changed", serial_at(where) == 5);
    check("now it is", logged(warning) == warnings + 1);
    write_file(key_path, after, next_size);
    check("the next certificate comes with its key", serial_at(where) == 6);
    plugin_life()->stop(self);
    plugin_instance()->destroy(self);
    certificate_retry_delay = usual;
}

static ssize_t push_byte(gnutls_transport_ptr_t context, const void *data, size_t size) {
    (void)size;
    return send((int)(intptr_t)context, data, 1, MSG_NOSIGNAL);
}

// A client that is silent in its handshake costs the thread of the server nothing.
static void test_slow_handshake(void) {
    enum { few = 200 };
    char found[8], end[8];
    const spin_duration usual = config.idle_timeout;
    config.idle_timeout = 1000000000;
    spin_self *self = create();
    start(self);
    int silent = connect_to(port(self)), before = atomic_load(&runs);
    check("a handshake begins", send(silent, "\x16", 1, MSG_NOSIGNAL) == 1);
    expect("it ends after `idle_timeout`", answer(silent, end, sizeof end), "closed");
    check("nothing was tried meanwhile", atomic_load(&runs) < before + few);
    close(silent);
    plugin_life()->stop(self);
    plugin_instance()->destroy(self);

    config.idle_timeout = usual;
    self = create();
    start(self);
    struct client slow;
    prepare(&slow, port(self));
    gnutls_transport_set_push_function(slow.session, push_byte);
    well(gnutls_handshake(slow.session));
    expect("a handshake may come in single bytes", ask_secure(&slow, found), "503");
    silent = connect_to(port(self));
    check("another one begins", send(silent, "\x16", 1, MSG_NOSIGNAL) == 1);
    check("others can connect", serial_at(port(self)) > 0);
    plugin_life()->stop(self);
    expect("the end of the server ends it", answer(silent, end, sizeof end), "closed");
    plugin_instance()->destroy(self);
    disconnect(&slow);
    close(silent);
}

static void test_secure_stream(void) {
    static const char request[] = "GET /a-path-that-is-not-noted HTTP/1.1\r\nHost: a\r\n\r\n";
    char name[name_size];
    struct client client;
    spin_self *self = create();
    start(self);
    spin_call *call = requests(self);
    connect_secure(&client, port(self));
    for (int i = 0; i < 2; i++) {
        well((int)gnutls_record_send(client.session, request, sizeof request - 1));
        spin_call *lasting = begin(self, take_name(name), 200);
        check("the head comes at once", read_secure_to(&client, "chunked\r\n\r\n"));
        expect("a part is pushed", push(self, name, "one"), "");
        check("it comes at once", read_secure_to(&client, "3\r\none\r\n"));
        expect("another one is delivered", host_ended(deliver(self, name, "two")), "delivered\n");
        check("it is there", read_secure_to(&client, "3\r\ntwo\r\n"));
        // The first answer ends in order, and the client leaves the second one.
        if (i == 0)
            finish(self, name);
        else
            shutdown(client.socket, SHUT_RDWR);
        expect("the loop hears of the end", host_ended(lasting),
               i == 0 ? "ended finished\n" : "ended closed\n");
        check("so does the client", read_secure_to(&client, "0\r\n\r\n") == (i == 0));
    }
    host_cancel(call);
    plugin_life()->stop(self);
    plugin_instance()->destroy(self);
    disconnect(&client);
}

static void test_start_without(const char *expected) {
    spin_self *self = create();
    spin_call *call = host_call("start");
    check("it does not start", plugin_life()->start(call, self) != SPIN_OK);
    check("the reason is there", strstr(host_ended(call), expected) != NULL);
    plugin_instance()->destroy(self);
}

void test_tls(void) {
    secure_begin();
    config.certificate_file = (spin_string){certificate_path, strlen(certificate_path)};
    config.key_file = (spin_string){key_path, strlen(key_path)};
    test_start_without("setting `certificate_file`: cannot open `/tmp/serve-test.");
    make_certificate(1);
    config.most_waiting = 0;
    spin_self *self = create();
    start(self);
    test_changed_certificate(self);
    test_broken_certificate(self);
    plugin_life()->stop(self);
    plugin_instance()->destroy(self);
    test_two_renames();
    test_slow_handshake();
    config.most_waiting = 1000;
    test_secure_stream();
    write_file(key_path, "no key", 6);
    test_start_without("key.pem` has no key as PEM without a password");
    config.certificate_file = config.key_file = (spin_string){"", 0};
    secure_end();
}
