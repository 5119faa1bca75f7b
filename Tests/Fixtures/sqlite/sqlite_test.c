// The `sqlite` plugin in a host of the test: its thread, cancellations, locks and a disk that is full.
#include "../../../plugins/common/thread.h"
#include "../plugin-host/host.h"
#include "../plugin-host/plugin.h"
#include "sqlite.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const int plugin_waits = 1;

#define TEXT(literal) ((spin_string){literal, sizeof literal - 1})
#define ENDLESS "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

static char file[64];
static struct spin_config config = {.mode = {"create", 6},
                                    .schema = {"CREATE TABLE IF NOT EXISTS t (a)", 32},
                                    .wal = 1,
                                    .busy_timeout = 60000000000,
                                    .poll_interval = 10000000,
                                    .most_rows = 1000,
                                    .largest_answer = 1 << 20};

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    char text[64];
    if (strcmp(emitter->name, "changed") == 0) {
        host_note(call, "changed\n", 8);
        return;
    }
    if (strcmp(emitter->name, "rows") != 0) {
        snprintf(text, sizeof text, "%lld changes\n", (long long)*(const int64_t *)payload);
        host_note(call, text, strlen(text));
        return;
    }
    const struct {
        spin_list_string columns;
        spin_list_sqlite_row rows;
    } *rows = payload;
    for (size_t i = 0; i < rows->rows.count; i++) {
        const sqlite_value *value = &rows->rows.items[i].values.items[0];
        host_note(call, value->text.data, value->text.size);
        host_note(call, "\n", 1);
    }
}

static spin_self *make(void) {
    const struct spin_plugin_instance *instance = plugin_instance();
    spin_self *self = instance->create(host_call("create"), &config);
    check("an instance is made", self != NULL);
    check("it starts", plugin_life()->start(host_call("start"), self) == SPIN_OK);
    return self;
}

static void destroy(spin_self *self) { plugin_instance()->destroy(self); }

static spin_call *call_with(spin_self *self, const char *effect, spin_string sql, spin_string text,
                            int room) {
    spin_call *call = host_call("run");
    host_set_room(call, room);
    void (*function)(void) = plugin_effect(effect);
    sqlite_parameter parameter = {.text = {1, text}};
    spin_list_sqlite_parameter parameters = {&parameter, text.size > 0};
    ((void (*)(spin_call *, spin_self *, spin_string, spin_list_sqlite_parameter))function)(call, self, sql,
                                                                                            parameters);
    return call;
}

static spin_call *call(spin_self *self, const char *effect, spin_string sql) {
    return call_with(self, effect, sql, (spin_string){0}, -1);
}

static spin_call *insert(spin_self *self, int room) {
    // The effect must copy a value that ends with it.
    char text[] = "a value";
    spin_call *made = call_with(self, "execute", TEXT("INSERT INTO t VALUES (?)"),
                                (spin_string){text, sizeof text - 1}, room);
    memset(text, 'x', sizeof text);
    return made;
}

static void test_order(spin_self *self) {
    spin_call *first = insert(self, 0), *second = insert(self, -1);
    spin_call *read = call(self, "query", TEXT("SELECT a FROM t"));
    host_set_room(first, 1);
    expect("an answer waits for room", host_ended(first), "1 changes\n");
    expect("the next call follows", host_ended(second), "1 changes\n");
    expect("a query sees both", host_ended(read), "a value\na value\n");
}

static void *cancel_half(void *context) {
    for (spin_call **next = context; *next; next += 2)
        host_cancel(*next);
    return NULL;
}

// Each call ends once: with its answer, or with its cancellation.
static void test_cancellations(spin_self *self) {
    enum { count = 300 };
    static spin_call *all[count + 2];
    pthread_t thread;
    for (int i = 0; i < count; i++)
        all[i] = i % 2 ? call(self, "query", TEXT("SELECT 5"))
                       : call(self, i % 3 ? "query" : "execute", i % 4 ? TEXT(ENDLESS) : TEXT("SELECT 1"));
    check("a thread begins", pthread_create(&thread, NULL, cancel_half, all) == 0);
    for (int i = 1; i < count; i += 2)
        expect("an answer comes", host_ended(all[i]), "5\n");
    pthread_join(thread, NULL);
}

static void test_lock(spin_self *self) {
    sqlite3 *other;
    check("another connection opens", sqlite3_open(file, &other) == SQLITE_OK);
    check("it locks", sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK);
    spin_call *cancelled = insert(self, -1), *waiting = insert(self, -1);
    host_cancel(cancelled);
    check("it unlocks", sqlite3_exec(other, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
    expect("a call waits for the lock", host_ended(waiting), "1 changes\n");
    expect("a cancelled one does nothing", host_ended(cancelled), "");
    sqlite3_close(other);
    expect("it has changed nothing", host_ended(call(self, "query", TEXT("SELECT count(*) FROM t"))), "3\n");
}

// A transaction without statements.
static spin_call *transact(spin_self *self) {
    spin_call *made = host_call("run");
    host_set_room(made, -1);
    void (*function)(void) = plugin_effect("transaction");
    ((void (*)(spin_call *, spin_self *, spin_list_sqlite_statement))function)(
        made, self, (spin_list_sqlite_statement){NULL, 0});
    return made;
}

// It fails by itself, as its answer has too many rows.
static spin_call *fail(spin_self *self) {
    return call(self, "query",
                TEXT("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1001) "
                     "INSERT INTO t SELECT i FROM n RETURNING a"));
}

// A statement that fails by itself is cancelled while it is taken back: at each moment of its life, in turn.
static void test_roll_backs(spin_self *self) {
    enum { count = 400 };
    int64_t begin = monotonic_now();
    host_ended(fail(self));
    int64_t life = monotonic_now() - begin;
    for (int i = 0; i < count; i++) {
        begin = monotonic_now();
        spin_call *failing = fail(self);
        while (monotonic_now() - begin < life * i / count)
            ;
        host_cancel(failing);
        if (i % 8 == 7)
            expect("nothing is left over", host_ended(transact(self)), "0 changes\n");
    }
    sqlite3 *other;
    check("another connection opens", sqlite3_open(file, &other) == SQLITE_OK);
    check("it can write", sqlite3_exec(other, "BEGIN IMMEDIATE; COMMIT", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(other);
    expect("nothing was changed", host_ended(call(self, "query", TEXT("SELECT count(*) FROM t"))), "3\n");
}

static void test_changes(spin_self *self) {
    spin_call *watch = host_call("run");
    void (*function)(void) = plugin_effect("changes");
    host_set_room(watch, 0);
    ((void (*)(spin_call *, spin_self *))function)(watch, self);
    host_ended(insert(self, -1));
    host_ended(insert(self, -1));
    host_set_room(watch, 1);
    expect("without room, changes become one", host_await(watch, "changed\n"), "changed\n");
    host_set_room(watch, -1);
    host_ended(insert(self, -1));
    expect("a change is noticed", host_await(watch, "changed\nchanged\n"), "changed\nchanged\n");
    sqlite3 *other;
    check("another connection opens", sqlite3_open(file, &other) == SQLITE_OK);
    check("it changes", sqlite3_exec(other, "DELETE FROM t", NULL, NULL, NULL) == SQLITE_OK);
    expect("so is one of another connection", host_await(watch, "changed\nchanged\nchanged\n"),
           "changed\nchanged\nchanged\n");
    sqlite3_close(other);
    expect("other calls run meanwhile", host_ended(insert(self, -1)), "1 changes\n");
    host_cancel(watch);
}

// Two connections take turns with the lock.
static void test_two(spin_self *self) {
    enum { count = 40 };
    spin_self *other = make();
    spin_call *all[count];
    for (int i = 0; i < count; i++)
        all[i] = insert(i % 2 ? self : other, -1);
    for (int i = 0; i < count; i++)
        expect("both store", host_ended(all[i]), "1 changes\n");
    plugin_life()->stop(other);
    destroy(other);
    expect("nothing is lost", host_ended(call(self, "query", TEXT("SELECT count(*) FROM t"))), "41\n");
}

// Calls that last when the instance stops.
static void test_end(spin_self *self) {
    spin_call *running = call(self, "query", TEXT(ENDLESS)), *waiting = insert(self, -1);
    plugin_life()->stop(self);
    host_cancel(running); // as a thread of the host that is late
    host_cancel(waiting);
    expect("a call that waits does nothing", host_ended(waiting), "");
    check("an instance starts again", plugin_life()->start(host_call("start"), self) == SPIN_OK);
    expect("nothing is lost", host_ended(call(self, "query", TEXT("SELECT count(*) FROM t"))), "41\n");
    plugin_life()->stop(self);
    destroy(self);
}

static void test_all(void) {
    spin_self *self = make();
    test_order(self);
    test_cancellations(self);
    test_lock(self);
    test_roll_backs(self);
    test_changes(self);
    test_two(self);
    test_end(self);
}

int main(void) {
    plugin_load(&test_host);
    char folder[] = "/tmp/sqlite-test-XXXXXX";
    check("there is a folder", mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/test.db", folder);
    config.file = (spin_string){file, strlen(file)};
    for (int wal = 0; wal < 2; wal++) {
        config.wal = wal;
        test_all();
        check("the file is removed", unlink(file) == 0);
    }
    check("nothing stays beside it", rmdir(folder) == 0);
    return 0;
}
