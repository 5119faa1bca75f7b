#include "connection.h"
#include "instance.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int connection_problem(spin_self *self, int code, struct problem *problem) {
    struct connection *connection = &self->connection;
    code &= 0xff;
    const char *text = sqlite3_errmsg(connection->database);
    if (code == SQLITE_BUSY)
        return problem_set(
            problem, code, "another connection has locked the database for more than %g s%s",
            (double)connection->busy_timeout / 1e9,
            connection->busy_timeout == self->config->busy_timeout ? " (setting `busy_timeout`)" : "");
    int error = sqlite3_system_errno(connection->database);
    if (error && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN))
        return problem_set(problem, code, "%s: %s", text, strerror(error));
    return problem_set(problem, code, "%s",
                       code == SQLITE_AUTH && connection->refusal ? connection->refusal : text);
}

// Runs a statement of the plugin itself.
static int run_own(spin_self *self, const char *sql, struct problem *problem) {
    self->connection.is_own = 1;
    int code = sqlite3_exec(self->connection.database, sql, NULL, NULL, NULL);
    self->connection.is_own = 0;
    return code == SQLITE_OK || connection_problem(self, code, problem);
}

int connection_begin(spin_self *self, struct problem *problem) {
    return run_own(self, "BEGIN IMMEDIATE", problem);
}

int connection_commit(spin_self *self, struct problem *problem) { return run_own(self, "COMMIT", problem); }

void connection_roll_back(spin_self *self) {
    struct connection *connection = &self->connection;
    // After some failures SQLite has done it already.
    if (sqlite3_get_autocommit(connection->database))
        return;
    // The cancellation that leads to it must not end it.
    sqlite3_progress_handler(connection->database, 0, NULL, NULL);
    connection->is_own = 1;
    // A job is interrupted once, and once more when the instance stops.
    while (sqlite3_exec(connection->database, "ROLLBACK", NULL, NULL, NULL) == SQLITE_INTERRUPT)
        ;
    connection->is_own = 0;
    connection_watch(self);
}

static int take_mode(void *context, int count, char **values, char **names) {
    (void)names;
    *(int *)context = count == 1 && values[0] && sqlite3_stricmp(values[0], "wal") == 0;
    return 0;
}

// SQLite does not wait when another connection prevents the switch.
static int set_journal(spin_self *self, struct problem *problem) {
    struct connection *connection = &self->connection;
    int64_t until = monotonic_now() + connection->busy_timeout;
    int is_wanted = self->config->wal != 0, is_wal = 0, code;
    for (;;) {
        connection->is_own = 1;
        code = sqlite3_exec(connection->database,
                            is_wanted ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE",
                            take_mode, &is_wal, NULL);
        connection->is_own = 0;
        int64_t now = monotonic_now();
        if (code != SQLITE_BUSY || now >= until)
            break;
        engine_wait(&self->engine, now + 10000000 < until ? now + 10000000 : until);
    }
    if (code != SQLITE_OK)
        return connection_problem(self, code, problem);
    return is_wal == is_wanted ||
           problem_set(problem, SQLITE_CANTOPEN,
                       is_wanted ? "it can have no write-ahead log there (setting `wal`)"
                                 : "it keeps its write-ahead log (setting `wal`)");
}

static int run_schema(spin_self *self, struct problem *problem) {
    struct connection *connection = &self->connection;
    // A swap that fails starts the instance again, and must not wait for a lock then.
    if (self->config->schema.size == 0 || connection->has_schema)
        return 1;
    if (!connection_begin(self, problem))
        return 0;
    int code = sqlite3_exec(connection->database, self->config->schema.data, NULL, NULL, NULL);
    int has_run = code == SQLITE_OK || connection_problem(self, code, problem);
    connection->has_schema = has_run && connection_commit(self, problem);
    if (!connection->has_schema)
        connection_roll_back(self);
    return connection->has_schema;
}

// Reads the file for the first time, so that one which is no database is found now.
static int set_up(spin_self *self, int is_read_only, struct problem *problem) {
    struct connection *connection = &self->connection;
    if (!connection_guard(self))
        return connection_problem(self, sqlite3_errcode(connection->database), problem);
    if (!run_own(self, "PRAGMA schema_version", problem))
        return is_read_only && (problem->code == SQLITE_READONLY || problem->code == SQLITE_CANTOPEN)
                   ? problem_set(problem, problem->code,
                                 "it has a write-ahead log, which needs the right to write in the folder")
                   : 0;
    if (is_read_only)
        return 1;
    if (sqlite3_db_readonly(connection->database, "main"))
        return problem_set(problem, SQLITE_READONLY, "the file cannot be written");
    // A statement that has succeeded is on the disk. Without the log, FULL would leave a gap: SQLite then does not wait
    // until the removal of the journal is there.
    return run_own(self, "PRAGMA synchronous = EXTRA", problem) && set_journal(self, problem) &&
           run_schema(self, problem);
}

/* How long an instance may wait for a lock when it starts, in nanoseconds: the host expects it to start soon. */
enum { longest_start = 2000000000 };

int connection_open(spin_self *self, struct problem *problem) {
    const spin_config *config = self->config;
    int is_read_only = strcmp(config->mode.data, "read") == 0;
    int flags = is_read_only                              ? SQLITE_OPEN_READONLY
                : strcmp(config->mode.data, "write") == 0 ? SQLITE_OPEN_READWRITE
                                                          : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    struct connection *connection = &self->connection;
    struct stat status;
    int code, is_open = 0;
    if (stat(config->file.data, &status) == 0 && S_ISDIR(status.st_mode))
        return problem_set(problem, SQLITE_CANTOPEN, "it is a folder");
    connection->busy_timeout = config->busy_timeout < longest_start ? config->busy_timeout : longest_start;
    code = sqlite3_open_v2(config->file.data, &connection->database, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        connection_problem(self, code, problem);
    else
        is_open = set_up(self, is_read_only, problem);
    if (!is_open)
        connection_close(connection);
    connection->busy_timeout = config->busy_timeout;
    return is_open;
}

void connection_close(struct connection *connection) {
    // The first step of a statement forgets an interrupt that came late. Otherwise SQLite would leave the
    // write-ahead log behind.
    sqlite3_exec(connection->database, "SELECT 1", NULL, NULL, NULL);
    sqlite3_close(connection->database);
    connection->database = NULL;
}

int connection_is_whole(struct connection *connection, struct problem *problem) {
    int has_moved = 0;
    if (!sqlite3_get_autocommit(connection->database))
        return problem_set(problem, SQLITE_IOERR,
                           "the last transaction could not be taken back; start the app again");
    sqlite3_file_control(connection->database, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    return !has_moved || problem_set(problem, SQLITE_READONLY,
                                     "the file was moved or deleted while it was open; start the app again");
}

int connection_version(spin_self *self, uint32_t *version, struct problem *problem) {
    struct connection *connection = &self->connection;
    connection->is_hasty = 1;
    // SQLite looks at the file when a statement reads it. The pragma tells of other connections alone.
    int is_read = run_own(self, "PRAGMA data_version", problem);
    connection->is_hasty = 0;
    return is_read && (sqlite3_file_control(connection->database, "main", SQLITE_FCNTL_DATA_VERSION,
                                            version) == SQLITE_OK ||
                       connection_problem(self, SQLITE_IOERR, problem));
}
