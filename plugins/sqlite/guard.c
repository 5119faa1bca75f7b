// What a statement may do, and how long it may wait.
#include "instance.h"
#include <string.h>

// The settings of the connection stay as they are. These tell something, or change only the file.
static int is_possible(const char *pragma) {
    static const char *const possible[] = {
        "application_id", "data_version",  "foreign_key_check", "foreign_key_list", "freelist_count",
        "index_info",     "index_list",    "index_xinfo",       "integrity_check",  "optimize",
        "page_count",     "quick_check",   "table_info",        "table_list",       "table_xinfo",
        "user_version",   "function_list", "collation_list",    "compile_options"};
    for (size_t i = 0; i < sizeof possible / sizeof *possible; i++)
        if (sqlite3_stricmp(pragma, possible[i]) == 0)
            return 1;
    return 0;
}

static int authorize(void *context, int action, const char *first, const char *second, const char *database,
                     const char *trigger) {
    struct connection *connection = context;
    (void)database, (void)trigger;
    if (connection->is_own)
        return SQLITE_OK;
    // While VACUUM runs, it attaches a file without a name. VACUUM INTO attaches the other one only then.
    if ((action == SQLITE_ATTACH && !(connection->is_running && first && !*first)) ||
        (action == SQLITE_DETACH && !(connection->is_running && first && strcmp(first, "vacuum_db") == 0)))
        connection->refusal = "a statement may use no other file than that of the setting `file`";
    else if (action == SQLITE_FUNCTION && second && sqlite3_stricmp(second, "fts3_tokenizer") == 0)
        // It takes an address of code as a value.
        connection->refusal = "`fts3_tokenizer` is not possible";
    else if (connection->is_running)
        return SQLITE_OK;
    else if (action == SQLITE_CREATE_TEMP_TABLE || action == SQLITE_CREATE_TEMP_VIEW ||
             action == SQLITE_CREATE_TEMP_TRIGGER || action == SQLITE_CREATE_TEMP_INDEX)
        connection->refusal = "what is temporary is not possible, as it ends with the connection";
    else if (action == SQLITE_TRANSACTION || action == SQLITE_SAVEPOINT)
        connection->refusal = "a statement cannot begin or end a transaction; the effect `transaction` does";
    else if (action == SQLITE_PRAGMA && !is_possible(first))
        connection->refusal = "this PRAGMA is not possible, as it may change the connection";
    else
        return SQLITE_OK;
    return SQLITE_DENY;
}

// SQLite calls it while another connection holds the lock. 0 ends the wait.
static int wait_for_lock(void *context, int waits) {
    spin_self *self = context;
    int64_t now = monotonic_now(), until = now + (1000000LL << (waits < 5 ? waits : 5));
    if (waits == 0)
        self->connection.busy_until = now + self->connection.busy_timeout;
    if (self->connection.is_hasty || now >= self->connection.busy_until)
        return 0;
    return engine_wait(&self->engine,
                       until < self->connection.busy_until ? until : self->connection.busy_until);
}

// SQLite calls it again and again while a statement runs: an interrupt that comes before the first step is lost. It also
// calls it before a commit, which becomes a rollback then: a short statement may end before it sees an interrupt.
static int is_cancelled(void *context) { return engine_is_cancelled(context); }

void connection_watch(spin_self *self) {
    sqlite3_progress_handler(self->connection.database, 1000, is_cancelled, &self->engine);
}

int connection_guard(spin_self *self) {
    sqlite3 *database = self->connection.database;
    connection_watch(self);
    sqlite3_commit_hook(database, is_cancelled, &self->engine);
    int is_set = sqlite3_busy_handler(database, wait_for_lock, self) == SQLITE_OK &&
                 sqlite3_set_authorizer(database, authorize, &self->connection) == SQLITE_OK;
    static const struct {
        int option, value;
    } options[] = {{SQLITE_DBCONFIG_ENABLE_FKEY, 1},
                   {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                   {SQLITE_DBCONFIG_DEFENSIVE, 1},
                   // `"a"` is a name alone, so that a wrong one is no text by mistake.
                   {SQLITE_DBCONFIG_DQS_DML, 0},
                   {SQLITE_DBCONFIG_DQS_DDL, 0}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        is_set = is_set &&
                 sqlite3_db_config(database, options[i].option, options[i].value, (int *)NULL) == SQLITE_OK;
    return is_set;
}
