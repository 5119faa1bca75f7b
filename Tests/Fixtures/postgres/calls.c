// Cancellations at each point, time limits, and what statements leave behind.
#include "world.h"
#include "server.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char active[] =
    "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ada' AND state = 'active')";
static const char no_active[] =
    "NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ada' AND state = 'active')";

// The server ends the statement of a cancelled call, and takes it back.
static void test_cancel(spin_self *self) {
    spin_call *sleeping = call(self, "execute", "INSERT INTO k SELECT 1 FROM pg_sleep(1000)");
    spin_call *next = call(self, "query", "SELECT 5 AS a");
    server_await(active);
    host_cancel(sleeping);
    expect("the next one runs", host_ended(next), "a: integer 5 (5, 5)\n");
    server_await(no_active);
    sleeping =
        call_transaction(self, (const char *[]){"INSERT INTO k VALUES (1)", "SELECT pg_sleep(1000)", NULL});
    server_await(active);
    host_cancel(sleeping);
    server_await(no_active);
    expect("nothing has changed", query(self, "SELECT count(*) FROM k"), "count: integer 0 (0, 0)\n");
}

static void *cancel_half(void *context) {
    for (spin_call **next = context; *next; next += 2)
        host_cancel(*next);
    return NULL;
}

// Each call ends once: with its answer, or with its cancellation.
static void test_cancellations(void) {
    enum { count = 120 };
    static spin_call *all[count + 2];
    config.most_connections = 2;
    spin_self *self = make();
    pthread_t thread;
    for (int i = 0; i < count; i++)
        all[i] =
            i % 2 ? call(self, "query", "SELECT 5 AS a") : call(self, "execute", "SELECT pg_sleep(1000)");
    check("a thread begins", pthread_create(&thread, NULL, cancel_half, all) == 0);
    for (int i = 1; i < count; i += 2)
        expect("an answer comes", host_ended(all[i]), "a: integer 5 (5, 5)\n");
    pthread_join(thread, NULL);
    end(self);
    server_await(no_active);
    config.most_connections = 1;
}

// Calls of an instance that ends amid a statement.
static void test_end(void) {
    spin_self *self = make();
    spin_call *running = call(self, "execute", "SELECT pg_sleep(1000)"),
              *waiting = call(self, "query", "SELECT 1");
    server_await(active);
    host_cancel(waiting);
    host_cancel(running);
    end(self);
    server_await(no_active);
}

static void test_timeout(void) {
    config.statement_timeout = 2 * SECOND;
    spin_self *self = make();
    expect("the server ends a statement", query(self, "SELECT pg_sleep(1000)"),
           "-128 57014 canceling statement due to statement timeout");
    expect("the connection stays", query(self, "SELECT 5 AS a"), "a: integer 5 (5, 5)\n");
    end(self);
    reset_config();
}

// What a statement can do behind the back of the plugin reaches no other call.
static void test_leftovers(spin_self *self) {
    expect("a function that listens",
           execute(self, "DO $$ BEGIN EXECUTE 'LISTEN strange'; PERFORM pg_notify('strange', 'x'); END $$"),
           "0 changes\n");
    expect("does no harm", query(self, "SELECT 5 AS a"), "a: integer 5 (5, 5)\n");
    expect("a procedure that commits",
           execute(self, "CREATE PROCEDURE commits() LANGUAGE plpgsql AS "
                         "$$ BEGIN INSERT INTO k VALUES (2); COMMIT; END $$"),
           "0 changes\n");
    expect_start("cannot do so amid a transaction", transact(self, (const char *[]){"CALL commits()", NULL}),
                 "-128 statement 1: 2D000 invalid transaction termination");
    expect("it can alone", execute(self, "CALL commits()"), "0 changes\n");
    expect("then it is there", query(self, "SELECT a FROM k"), "a: integer 2 (2, 2)\n");
    expect("a remark of the server", execute(self, "DO $$ BEGIN RAISE WARNING 'hear'; END $$"),
           "0 changes\n");
}

// Another version of the plugin begins with connections of its own.
static void test_swap(void) {
    spin_self *self = make();
    spin_call *running = call(self, "execute", "SELECT pg_sleep(1000)");
    server_await(active);
    host_cancel(running);
    stop(self);
    spin_self *next = make();
    expect("the next instance works", query(next, "SELECT 5 AS a"), "a: integer 5 (5, 5)\n");
    stop(next);
    start(self); // The host has taken the swap back.
    expect("the old one works again", query(self, "SELECT 6 AS a"), "a: integer 6 (6, 6)\n");
    end(self);
    destroy(next);
}

void test_calls(void) {
    reset_config();
    spin_self *self = make();
    expect("a table is made", execute(self, "CREATE TABLE k (a int)"), "0 changes\n");
    test_cancel(self);
    test_leftovers(self);
    end(self);
    test_cancellations();
    test_end();
    test_timeout();
    test_swap();
}
