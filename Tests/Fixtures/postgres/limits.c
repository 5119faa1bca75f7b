// Answers that are too large, calls that wait, and loops without room.
#include "world.h"
#include "server.h"
#include <stdlib.h>
#include <string.h>

static void test_answers(spin_self *self) {
    expect("the most rows come", query(self, "SELECT generate_series(1, 1000)"), "1000 rows\n");
    expect("one more is too many", query(self, "SELECT generate_series(1, 1001)"),
           "-131 the answer has more than 1000 rows (setting `most_rows`)");
    // An endless answer: its limit is counted while it comes.
    expect("it is not read to its end", query(self, "SELECT generate_series(1, 2000000000)"),
           "-131 the answer has more than 1000 rows (setting `most_rows`)");
    expect("a text is too long", query(self, "SELECT repeat('x', 2000000)"),
           "-131 the answer is larger than 1048576 bytes (setting `largest_answer`)");
    expect("texts are", query(self, "SELECT repeat('x', 2000) FROM generate_series(1, 1000)"),
           "-131 the answer is larger than 1048576 bytes (setting `largest_answer`)");
    expect("a table is made", execute(self, "CREATE TABLE l (a int)"), "0 changes\n");
    expect("an answer of a change is",
           query(self, "INSERT INTO l SELECT generate_series(1, 1001) RETURNING a"),
           "-131 the answer has more than 1000 rows (setting `most_rows`)");
    expect("then nothing is changed", query(self, "SELECT count(*) FROM l"), "count: integer 0 (0, 0)\n");
    expect("rows that are dropped have no limit", execute(self, "SELECT generate_series(1, 200000)"),
           "0 changes\n");
    server_await("NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ada' AND state = 'active')");
}

// A value that the socket does not take at once.
static void test_large_value(spin_self *self) {
    enum { size = 4 << 20 };
    char *text = malloc(size + 1);
    check("there is memory", text != NULL);
    memset(text, 'x', size);
    text[size] = 0;
    postgres_parameter value = text_value(text);
    expect("a large value goes in",
           host_ended(call_with(self, "query", "SELECT length($1) AS n", &value, 1, -1)),
           "n: integer 4194304 (4194304, 4.1943e+06)\n");
    free(text);
}

static void test_room(spin_self *self) {
    spin_call *first = call_with(self, "query", "SELECT 1 AS a", NULL, 0, 0);
    spin_call *second = call(self, "query", "SELECT 2 AS b");
    host_await_room(first);
    // A loop that takes its time is not a server that does not answer.
    host_advance(config.statement_timeout * 10);
    host_set_room(first, 1);
    expect("an answer waits for room", host_ended(first), "a: integer 1 (1, 1)\n");
    expect("the next call follows", host_ended(second), "b: integer 2 (2, 2)\n");
    first = call_with(self, "query", "SELECT 1", NULL, 0, 0);
    host_await_room(first);
    host_cancel(first);
    expect("a cancelled one is left", query(self, "SELECT 2 AS b"), "b: integer 2 (2, 2)\n");
    first = call_with(self, "query", "SELECT 3 AS c", NULL, 0, 0);
    host_await_room(first);
    server_run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ada'");
    server_await("NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ada')");
    host_set_room(first, 1);
    expect("it needs its connection no more", host_ended(first), "c: integer 3 (3, 3)\n");
}

static void test_waiting(void) {
    config.most_waiting = 2;
    spin_self *self = make();
    spin_call *first = call_with(self, "query", "SELECT 1", NULL, 0, 0);
    host_await_room(first);
    spin_call *all[3];
    for (int i = 0; i < 3; i++)
        all[i] = call(self, "query", "SELECT 2 AS b");
    expect("one is too many", host_ended(all[2]),
           "-2 too many calls wait for a connection (setting `most_waiting`)");
    host_cancel(all[0]);
    host_set_room(first, 1);
    expect("the others run", host_ended(all[1]), "b: integer 2 (2, 2)\n");
    end(self);
}

// A second connection runs a call while the first one waits for a lock.
static void test_connections(void) {
    reset_config();
    config.most_connections = 3;
    spin_self *self = make();
    expect("a table is made", execute(self, "CREATE TABLE m (a int)"), "0 changes\n");
    spin_call *first = call_with(self, "query", "SELECT 1", NULL, 0, 0);
    host_await_room(first);
    expect("another connection runs", query(self, "SELECT 2 AS b"), "b: integer 2 (2, 2)\n");
    enum { count = 300 };
    static spin_call *all[count];
    for (int i = 0; i < count; i++)
        all[i] = call(self, "execute", "INSERT INTO m VALUES (1)");
    for (int i = 0; i < count; i++)
        expect("each runs", host_ended(all[i]), "1 changes\n");
    expect("each has run once", query(self, "SELECT count(*) FROM m"), "count: integer 300 (300, 300)\n");
    server_await("(SELECT count(*) FROM pg_stat_activity WHERE usename = 'ada') = 3");
    host_cancel(first);
    end(self);
    server_await("NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ada')");
}

void test_limits(void) {
    reset_config();
    spin_self *self = make();
    test_answers(self);
    test_large_value(self);
    test_room(self);
    end(self);
    test_waiting();
    test_connections();
}
