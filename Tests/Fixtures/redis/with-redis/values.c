// Commands, with Redis.
#include "server.h"
#include "../world.h"
#include "../../plugin-host/threads.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_answers(spin_self *self) {
    static const char *const cases[][2] = {
        {"SET a 12", "`OK`\n"},
        {"GET a", "`12` = 12\n"},
        {"INCR a", "13\n"},
        {"GET none", "null of 0\n"},
        {"SET b -7", "`OK`\n"},
        {"GET b", "`-7` = -7\n"},
        {"SET b 007", "`OK`\n"},
        {"GET b", "`007`\n"},
        {"SET b 99999999999999999999", "`OK`\n"},
        {"GET b", "`99999999999999999999`\n"},
        {"RPUSH list x y z", "3\n"},
        {"LRANGE list 0 -1", "list of 3 `x` `y` `z`\n"},
        {"LRANGE none 0 -1", "list of 0\n"},
        {"MGET a none", "list of 2 `13` = 13 null of 0\n"},
        {"HSET hash f 1 g 2", "2\n"},
        {"HGETALL hash", "list of 4 `f` `1` = 1 `g` `2` = 2\n"},
        {"EVAL return{1,{'a',{}},redis.error_reply('ERR\\032NO')} 0",
         "list of 3 1 list of 2  `a`  list of 0 error of 6\n"},
        {"ping", "`PONG`\n"},
        {"LPUSH a x", "-128 WRONGTYPE Operation against a key holding the wrong kind of value"},
        {"NOTHING", "-128 ERR unknown command 'NOTHING', with args beginning with: "},
        {"GET", "-128 ERR wrong number of arguments for 'get' command"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i][0], host_ended(call_command(self, cases[i][0], NULL)), cases[i][1]);
}

// Words may have any bytes, and so may answers.
static void test_bytes(spin_self *self) {
    const char *words[] = {"SET", "bytes", "\0\xff\r\n"};
    const size_t sizes[] = {3, 5, 4};
    expect("bytes are stored", host_ended(call_bytes(self, words, sizes, 3)), "`OK`\n");
    expect("their number is right", host_ended(call_command(self, "STRLEN bytes", NULL)), "4\n");
    const char *get[] = {"GET", "bytes"};
    expect("a text is repaired", strstr(host_ended(call_bytes(self, get, sizes, 2)), "of 4\n"), "of 4\n");
}

static void test_refusals(spin_self *self) {
    static const char waits[] =
        "-5 the command is refused: it would hold up the commands behind it, as it may wait";
    static const char changes[] =
        "-5 the command is refused: it changes the connection, which all commands share";
    static const char many[] =
        "-5 the command is refused: the server would send more than one answer, or none";
    static const char subscribes[] =
        "-5 the command is refused: the server would send more than one answer, or none: "
        "use the effect `subscribe`";
    static const char *const cases[][2] = {
        {"", "-5 the command is refused: a command has at least one word"},
        {"blpop a 0", waits},
        {"WAIT 1 0", waits},
        {"XREAD COUNT 1 BLOCK 0 STREAMS a $", waits},
        {"XREADGROUP GROUP g c block 0 STREAMS a >", waits},
        {"XREADGROUP GROUP streams c BLOCK 0 STREAMS a >", waits},
        {"Select 1", changes},
        {"AUTH x", changes},
        {"HELLO 3", changes},
        {"QUIT", changes},
        {"RESET", changes},
        {"MULTI", changes},
        {"CLIENT REPLY OFF", changes},
        {"client tracking on", changes},
        {"SCRIPT DEBUG YES", changes},
        {"MONITOR", many},
        {"SUBSCRIBE a", subscribes},
        {"PUNSUBSCRIBE", subscribes},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i][0], host_ended(call_command(self, cases[i][0], NULL)), cases[i][1]);
    expect("a name is not an option", host_ended(call_command(self, "XREAD STREAMS block 0", NULL)),
           "null of 0\n");
    expect("nor is that of a group",
           host_ended(call_command(self, "XREADGROUP GROUP block c STREAMS none >", NULL)),
           "-128 NOGROUP No such key 'none' or consumer group 'block' in XREADGROUP with GROUP option");
    expect("a client may be asked", host_ended(call_command(self, "CLIENT GETNAME", NULL)), "null of 0\n");
    char *large = malloc((size_t)config.largest_command + 8);
    check("there is memory", large != NULL);
    memset(large, 'x', (size_t)config.largest_command + 7);
    memcpy(large, "ECHO ", 5);
    large[config.largest_command + 7] = 0;
    expect("it is too large", host_ended(call_command(self, large, NULL)),
           "-5 the command is larger than 1048576 bytes (setting `largest_command`)");
    free(large);
}

static spin_call *count_up(spin_self *self, int number) {
    (void)number;
    return call_command(self, "INCR counter", NULL);
}

// Calls of several threads at once, some of which are cancelled: each answer comes to its own call.
static void test_threads(spin_self *self) {
    make_calls_at_once(self, 50, count_up);
    expect("the next answer is right", host_ended(call_command(self, "ECHO hello", NULL)), "`hello`\n");
}

// A large value in both directions, and an answer that is too large.
static void test_large(spin_self *self) {
    ask("SETRANGE large 900000 x", "900001");
    expect("it comes whole", host_ended(call_command(self, "GET large", NULL)), "text of 900001\n");
    ask("SETRANGE large 5000000 x", "5000001");
    expect("it is too large", host_ended(call_command(self, "GET large", NULL)),
           "-130 the connection was lost before the answer, and the server may have done it: an answer is "
           "larger than "
           "1048576 bytes (setting `largest_answer`)");
    pass(self, config.reconnect_most);
    expect("it works again", host_ended(call_command(self, "ECHO hello", NULL)), "`hello`\n");
    ask("DEL large", "1");
}

static void test_local_socket(void) {
    char folder[128], place[160];
    check("there is a folder", getcwd(folder, sizeof folder) != NULL);
    snprintf(place, sizeof place, "unix:%s/redis.sock", folder);
    set_text(&config.server, place);
    spin_self *self = make();
    expect("a local socket works", host_ended(call_command(self, "ECHO hello", NULL)), "`hello`\n");
    end(self);
}

void test_values(void) {
    reset_config(server_port());
    spin_self *self = make();
    test_answers(self);
    test_bytes(self);
    test_refusals(self);
    test_threads(self);
    test_large(self);
    end(self);
    test_local_socket();
    ask("DEL list", "1");
}
