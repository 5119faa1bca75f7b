// Settings and arguments that are not valid.
#include "../plugin-host/plugin.h"
#include "parts.h"
#include "world.h"
#include <stdio.h>
#include <string.h>

static const char seed[] = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

static void refuse_setting(spin_string *setting, const char *value, const char *reason) {
    spin_string before = *setting;
    *setting = (spin_string){value, strlen(value)};
    expect("a setting", reason_of_create(), reason);
    *setting = before;
}

static void refuse_server(const char *url) {
    use_servers((const char *const[]){"nats://127.0.0.1", url}, 2);
    expect(url, reason_of_create(),
           "-5 setting `servers`: server 2 must be `nats://HOST[:PORT]` or `tls://HOST[:PORT]`; "
           "the user, the password and the token have settings of their own");
}

void test_settings(void) {
    static const char no_seed[] = "-5 setting `nkey`: it is not the seed of a user, which begins with `SU`";
    static const char no_credentials[] =
        "-5 setting `credentials`: it does not have a JWT and the seed of a user's nkey";
    reset_config(4222);
    refuse_setting(&config.nkey, "SUACSSL3", no_seed);
    char other[sizeof seed];
    memcpy(other, seed, sizeof seed);
    other[10] = 'A';
    refuse_setting(&config.nkey, other, no_seed);
    refuse_setting(&config.credentials, seed, no_credentials);
    refuse_setting(&config.credentials,
                   "-----BEGIN NATS USER JWT-----\na\"b\n------\n-----BEGIN USER NKEY SEED-----\n",
                   no_credentials);
    refuse_setting(&config.password, "secret", "-5 setting `password`: it needs the setting `user`");
    static const char bad_inbox[] =
        "-5 setting `inbox`: it must be the begin of a subject, with at most 64 bytes";
    refuse_setting(&config.inbox, "", bad_inbox);
    refuse_setting(&config.inbox, "a b", bad_inbox);
    refuse_setting(&config.inbox, "a.>", bad_inbox);
    refuse_setting(&config.key_file, "k.pem",
                   "-5 settings `certificate_file` and `key_file`: one needs the other");
    config.nkey = TEXT(seed);
    refuse_setting(&config.token, "t",
                   "-5 settings `user`, `token`, `nkey` and `credentials`: set only one of them");
    destroy(create());
    reset_config(4222);
    config.reconnect_most = config.reconnect_least - 1;
    expect("the waits", reason_of_create(),
           "-5 setting `reconnect_least`: it is greater than `reconnect_most`");
    reset_config(4222);
    config.ca_file = TEXT("/nowhere/ca.pem");
    spin_self *self = create();
    expect("a file that is not there", reason_of_start(self),
           "-1 setting `ca_file`: the file cannot be used: No such file or directory");
    destroy(self);
    reset_config(4222);
    const char *const urls[] = {"",
                                "127.0.0.1",
                                "http://127.0.0.1",
                                "nats://",
                                "nats://user:secret@127.0.0.1",
                                "nats://127.0.0.1:0",
                                "nats://127.0.0.1:65536",
                                "tls://127.0.0.1/"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        refuse_server(urls[i]);
    config.servers.count = 0;
    expect("no server", reason_of_create(), "-5 setting `servers`: there must be 1 to 100");
}

static void refuse(spin_call *call, const char *reason) { expect(reason, host_ended(call), reason); }

static void test_subjects(spin_self *self) {
    static const char space[] = "-5 the subject has a space, a line break or another control character";
    static const char empty[] = "-5 a part of the subject is empty";
    static const char wildcard[] = "-5 the subject of a message has no `*` and no `>` as a part";
    refuse(call_publish(self, "", "x"), "-5 the subject is empty");
    refuse(call_publish(self, "a b", "x"), space);
    refuse(call_publish(self, "a\r\nPUB b 0\r\n", "x"), space);
    refuse(call_publish(self, "a\tb", "x"), space);
    refuse(call_publish(self, ".a", "x"), empty);
    refuse(call_publish(self, "a.", "x"), empty);
    refuse(call_request(self, "a..b", "x"), empty);
    refuse(call_publish(self, "a.*", "x"), wildcard);
    refuse(call_request(self, ">", "x"), wildcard);
    refuse(call_store(self, "a.>", "x", NULL, "1"), wildcard);
    refuse(call_subscribe(self, "a b", ""), space);
    refuse(call_subscribe(self, "a.>.b", ""), "-5 `>` must be the last part of the subject");
    refuse(call_subscribe(self, "a", "q r"), "-5 the queue is not one word");
    char longest[1026];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    refuse(call_subscribe(self, longest, ""), "-5 the subject has more than 1024 bytes");
}

static void test_headers(spin_self *self) {
    static const char breaks[] = "-5 the header `A` has a line break or another control character";
    spin_bytes data = {(const uint8_t *)"x", 1};
    refuse(call_send(self, "publish", "a", data, "A"), "-5 a header is not written `Name: value`");
    refuse(call_send(self, "publish", "a", data, "A B: c"), "-5 a header is not written `Name: value`");
    refuse(call_send(self, "publish", "a", data, "A: b\r\nC: d"), breaks);
    refuse(call_send(self, "request", "a", data, "A: b\n"), breaks);
    refuse(call_store(self, "a", "x", "nats-msg-id: 1", "2"),
           "-5 the plugin sets the header `Nats-Msg-Id` itself");
    static const char *const ids[] = {"1\r\nA: b", " 1", "1 "};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        refuse(call_store(self, "a", "x", NULL, ids[i]),
               "-5 the identifier has more than 255 bytes, a space at an end, or a control character");
}

void test_arguments(void) {
    reset_config(1);
    config.largest_message = 10;
    spin_self *self = make();
    test_subjects(self);
    test_headers(self);
    refuse(call_publish(self, "a", "12345678901"),
           "-5 the message is larger than 10 bytes (setting `largest_message`)");
    const char *const names[] = {"", "a.b", "a b", "*", "a>", "a\r\nb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        refuse(call_consume(self, names[i], "c", 1),
               "-5 the names of a stream and a consumer have no dots, spaces and wildcards");
        refuse(call_consume(self, "s", names[i], 1),
               "-5 the names of a stream and a consumer have no dots, spaces and wildcards");
    }
    refuse(call_consume(self, "s", "c", 0), "-5 a batch has 1 to 1000 messages");
    refuse(call_consume(self, "s", "c", 1001), "-5 a batch has 1 to 1000 messages");
    refuse(call_tell(self, "acknowledge", ""), "-5 this is not the `message` of `delivered`");
    refuse(call_tell(self, "in_progress", "other.subject"), "-5 this is not the `message` of `delivered`");
    refuse(call_tell(self, "terminate", "$JS.ACK.s.c 1\r\n"), "-5 this is not the `message` of `delivered`");
    refuse(call_refuse(self, "$JS.ACK.s.c.1.1.1.1.0", -1), "-5 the delay is negative");
    end(self);
}
