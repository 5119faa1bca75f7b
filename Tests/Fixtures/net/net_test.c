// Addresses and framings, and the order of the parts.
#include "world.h"
#include "../plugin-host/plugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char not_valid[] =
    "-5 an address is `tcp:HOST:PORT`, `udp:HOST:PORT` or `unix:/PATH`; an address of IPv6 "
    "has brackets, such as `tcp:[::1]:80`";
static const char no_local[] = "-5 the path of a local socket begins with `/`, such as `unix:/run/app.sock`";

static void test_refusals(void) {
    reset_config();
    spin_self *self = make();
    static const struct {
        const char *address, *framing, *reason;
    } cases[] = {
        {"", "raw", not_valid},
        {"127.0.0.1:80", "raw", not_valid},
        {"tcp:127.0.0.1", "raw", not_valid},
        {"tcp::80", "raw", not_valid},
        {"tcp:::1:80", "raw", not_valid},
        {"tcp:[::1:80", "raw", not_valid},
        {"tcp:[1.2.3.4]:80", "raw", not_valid},
        {"tcp:[::g]:80", "raw", not_valid},
        {"tcp:a b:80", "raw", not_valid},
        {"tcp:localhost:65536", "raw", not_valid},
        {"tcp:localhost:80x", "raw", not_valid},
        {"tcp:localhost:", "raw", not_valid},
        {"tcp:localhost:0", "raw", "-5 nobody listens at port 0"},
        {"unix:run/app.sock", "raw", no_local},
        {"unix:@app", "raw", no_local},
        {"udp:127.0.0.1:80", "raw", "-5 UDP has no connections: use `receive` and `send_to`"},
        {"tcp:localhost:80", "frames",
         "-5 the framing is not `raw`, `lines`, `delimiter:HEX`, `length:N` or `prefix:TYPE`"},
        {"tcp:localhost:80", "slip",
         "-5 the framing is not `raw`, `lines`, `delimiter:HEX`, `length:N` or `prefix:TYPE`"},
        {"tcp:localhost:80", "delimiter:0",
         "-5 a delimiter is 1 to 16 bytes as hexadecimal digits, such as `delimiter:0D0A`"},
        {"tcp:localhost:80", "length:0", "-5 a length is a number of bytes, such as `length:16`"},
        {"tcp:localhost:80", "length:65537", "-5 the length is greater than the setting `longest`"},
        {"tcp:localhost:80", "prefix:u64",
         "-5 a prefix is `u8`, `u16`, `u32`, `u16le` or `u32le`, such as `prefix:u16`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect("an address and a framing are valid",
               host_ended(call_connect(self, cases[i].address, cases[i].framing, NULL)), cases[i].reason);
    char path[512];
    snprintf(path, sizeof path, "tcp:%0256d:80", 1);
    expect("a name fits", host_ended(call_connect(self, path, "raw", NULL)), not_valid);
    snprintf(path, sizeof path, "unix:/%0108d", 1);
    expect("a path fits", host_ended(call_connect(self, path, "raw", NULL)),
           "-5 the path of a local socket has at most 107 bytes");
    expect("it listens at no name", host_ended(call_listen(self, "tcp:localhost:0", "raw", NULL)),
           "-5 an address to listen at is written with digits, such as `tcp:127.0.0.1:80` or `tcp:[::]:80`");
    expect("it receives by UDP", host_ended(call_receive(self, "tcp:127.0.0.1:0", NULL)),
           "-5 an address to receive at is written with digits, such as `udp:0.0.0.0:514`");
    expect("it sends to no name", host_ended(call_send_to(self, "", "udp:localhost:9", "a", 1)),
           "-5 an address to send to is written with digits, such as `udp:192.0.2.1:514`");
    stop(self);
    destroy(self);
    config.reconnect_most = config.reconnect_least - 1;
    expect("the waits are in order", reason_of_create(),
           "-5 setting `reconnect_least`: it is greater than `reconnect_most`");
}

void test_addresses(void) { test_refusals(); }

int main(void) {
    char folder[] = "/tmp/net-test-XXXXXX";
    check("there is a folder", mkdtemp(folder) && chdir(folder) == 0);
    plugin_load(&test_host);
    polls_begin();
    test_addresses();
    test_listening();
    test_rooms();
    test_sockets();
    test_files();
    test_frames();
    test_sending();
    test_stalls();
    test_idle_connections();
    test_connecting();
    test_halves();
    test_datagrams();
    test_swaps();
    test_takeovers();
    test_closing_swaps();
    test_parts();
    test_memory();
    polls_close();
    rmdir(folder);
    return 0;
}
