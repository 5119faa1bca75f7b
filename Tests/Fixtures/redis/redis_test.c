// Settings, and the order of the parts.
#include "with-peer/peer.h"
#include "with-redis/server.h"
#include "world.h"
#include "../plugin-host/plugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_servers(void) {
    static const char not_valid[] =
        "-5 setting `server`: it must be `redis://HOST[:PORT]` or `unix:/PATH`; the user, "
        "the password and the database have settings of their own";
    static const char *const texts[] = {"",
                                        "localhost",
                                        "redis://",
                                        "redis://localhost:",
                                        "redis://localhost:0",
                                        "redis://localhost:65536",
                                        "redis://localhost:80x",
                                        "redis://localhost/1",
                                        "redis://ada:horse@localhost",
                                        "redis://:horse@localhost:80",
                                        "redis://[::1",
                                        "redis://[1.2.3.4]",
                                        "unix:redis.sock"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        set_text(&config.server, texts[i]);
        expect("it is not valid, and no part of it is shown", reason_of_create(), not_valid);
    }
    set_text(&config.server, "rediss://localhost");
    expect("there is no TLS", reason_of_create(),
           "-5 setting `server`: the plugin has no TLS, so it cannot use `rediss://`");
    char path[256];
    snprintf(path, sizeof path, "unix:/%0108d", 1);
    set_text(&config.server, path);
    expect("a path fits", reason_of_create(),
           "-5 setting `server`: the path of a local socket has at most 107 bytes");
    static const char *const valid[] = {"redis://localhost", "redis://[::1]:80", "redis://10.0.0.1:1",
                                        "unix:/a"};
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        set_text(&config.server, valid[i]);
        destroy(create());
    }
}

void test_settings(void) {
    reset_config(1);
    test_servers();
    reset_config(1);
    config.claim_after = 999999;
    expect("a claim is not too soon", reason_of_create(),
           "-5 setting `claim_after`: it is less than 10 ms, and not 0");
    reset_config(1);
    config.reconnect_most = config.reconnect_least - 1;
    expect("the waits are in order", reason_of_create(),
           "-5 setting `reconnect_least`: it is greater than `reconnect_most`");
    reset_config(1);
    config.password = (spin_secret){"a\0b", 3};
    expect("a password is a text", reason_of_create(), "-5 setting `password`: it has a NUL character");
}

static void test_with_peer(void) {
    int port, listener = peer_listen(&port);
    void (*const parts[])(int, int) = {test_pings,   test_failovers, test_damage,  test_losses,
                                       test_room,    test_reading,   test_retries, test_acknowledgements,
                                       test_in_work, test_swaps};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        parts[i](listener, port);
    close(listener);
}

int main(void) {
    char folder[] = "/tmp/redis-test-XXXXXX";
    check("there is a folder", mkdtemp(folder) && chdir(folder) == 0);
    plugin_load(&test_host);
    polls_begin();
    test_settings();
    test_with_peer();
    server_begin(NULL, NULL);
    test_values();
    test_login();
    test_messages();
    test_groups();
    test_memory();
    test_claims();
    test_refusals_of_server();
    test_restarts();
    server_end();
    polls_close();
    check("the folder is empty", rmdir(folder) == 0);
    return 0;
}
