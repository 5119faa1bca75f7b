// The effects, whose calls become jobs.
#include "job.h"
#include <string.h>

static const spin_string no_channel = {"", 0};

static void begin(spin_call *call, spin_self *self, enum job_kind kind,
                  spin_list_postgres_statement statements) {
    struct problem problem;
    if (statements_are_valid(statements, kind == JOB_TRANSACTION, &problem))
        job_begin(call, self, kind, statements, no_channel);
    else
        spin_fail(call, problem.code, problem.text);
}

static void begin_one(spin_call *call, spin_self *self, enum job_kind kind, spin_string sql,
                      spin_list_postgres_parameter parameters) {
    postgres_statement statement = {sql, parameters};
    begin(call, self, kind, (spin_list_postgres_statement){&statement, 1});
}

static void query(spin_call *call, spin_self *self, spin_string sql,
                  spin_list_postgres_parameter parameters) {
    begin_one(call, self, JOB_QUERY, sql, parameters);
}
SPIN_EFFECT(void, query,
            (spin_call *call, spin_self *self, spin_string sql, spin_list_postgres_parameter parameters),
            "Runs a statement: emits `rows` with all of its rows, and the names of their columns.");

static void execute(spin_call *call, spin_self *self, spin_string sql,
                    spin_list_postgres_parameter parameters) {
    begin_one(call, self, JOB_EXECUTE, sql, parameters);
}
SPIN_EFFECT(void, execute,
            (spin_call *call, spin_self *self, spin_string sql, spin_list_postgres_parameter parameters),
            "Runs a statement for what it changes: emits `executed`. Rows that it has are dropped.");

static void transaction(spin_call *call, spin_self *self, spin_list_postgres_statement statements) {
    begin(call, self, JOB_TRANSACTION, statements);
}
SPIN_EFFECT(void, transaction, (spin_call *call, spin_self *self, spin_list_postgres_statement statements),
            "Runs statements in order, as one change: emits `committed`.");

static const char *channel_fault(spin_string channel) {
    if (channel.size == 0 || channel.size > longest_channel)
        return "the name of a channel has 1 to 63 bytes";
    return memchr(channel.data, 0, channel.size) ? "the name of a channel has no NUL character" : NULL;
}

static void listen(spin_call *call, spin_self *self, spin_string channel) {
    const char *why = channel_fault(channel);
    if (why)
        spin_fail(call, SPIN_BAD_VALUE, why);
    else
        job_begin(call, self, JOB_LISTEN, (spin_list_postgres_statement){NULL, 0}, channel);
}
SPIN_EFFECT(void, listen, (spin_call *call, spin_self *self, spin_string channel),
            "Listens to a channel until it is cancelled: emits `listening`, `notification` and `lost`.");

static void notify(spin_call *call, spin_self *self, spin_string channel, spin_string payload) {
    const char *why = channel_fault(channel);
    if (why) {
        spin_fail(call, SPIN_BAD_VALUE, why);
        return;
    }
    postgres_parameter values[] = {{.text = {1, channel}}, {.text = {1, payload}}};
    static const char sql[] = "SELECT pg_notify($1, $2)";
    begin_one(call, self, JOB_NOTIFY, (spin_string){sql, sizeof sql - 1},
              (spin_list_postgres_parameter){values, 2});
}
SPIN_EFFECT(void, notify, (spin_call *call, spin_self *self, spin_string channel, spin_string payload),
            "Sends a text to all who listen to a channel. It emits nothing.");
