// The effects, whose calls become jobs.
#include "job.h"

static void begin_one(spin_call *call, spin_self *self, enum job_kind kind, spin_string sql,
                      spin_list_sqlite_parameter parameters) {
    sqlite_statement statement = {sql, parameters};
    job_begin(call, self, kind, (spin_list_sqlite_statement){&statement, 1});
}

static void query(spin_call *call, spin_self *self, spin_string sql, spin_list_sqlite_parameter parameters) {
    begin_one(call, self, JOB_QUERY, sql, parameters);
}
SPIN_EFFECT(void, query,
            (spin_call *call, spin_self *self, spin_string sql, spin_list_sqlite_parameter parameters),
            "Runs a statement: emits `rows` with all of its rows, and the names of their columns.");

static void execute(spin_call *call, spin_self *self, spin_string sql,
                    spin_list_sqlite_parameter parameters) {
    begin_one(call, self, JOB_EXECUTE, sql, parameters);
}
SPIN_EFFECT(void, execute,
            (spin_call *call, spin_self *self, spin_string sql, spin_list_sqlite_parameter parameters),
            "Runs a statement for what it changes: emits `executed`. Rows that it has are dropped.");

static void transaction(spin_call *call, spin_self *self, spin_list_sqlite_statement statements) {
    job_begin(call, self, JOB_TRANSACTION, statements);
}
SPIN_EFFECT(void, transaction, (spin_call *call, spin_self *self, spin_list_sqlite_statement statements),
            "Runs statements in order, as one change: emits `committed`.");

static void changes(spin_call *call, spin_self *self) {
    job_begin(call, self, JOB_CHANGES, (spin_list_sqlite_statement){NULL, 0});
}
SPIN_EFFECT(void, changes, (spin_call *call, spin_self *self),
            "Emits `changed` at once, and after each change of the database by this or another connection.");
