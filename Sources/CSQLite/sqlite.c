#include "CSQLite.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

/* The functions as sqlite3.h declares them. `int64_t` is `sqlite3_int64` on all systems that the host runs on. */
#define FUNCTIONS(USE)                                                                                       \
    USE(int, open_v2, (const char *, sqlite_connection **, int, const char *))                               \
    USE(int, close_v2, (sqlite_connection *))                                                                \
    USE(int, extended_result_codes, (sqlite_connection *, int))                                              \
    USE(int, busy_timeout, (sqlite_connection *, int))                                                       \
    USE(int, db_config, (sqlite_connection *, int, ...))                                                     \
    USE(void *, wal_hook,                                                                                    \
        (sqlite_connection *, int (*)(void *, sqlite_connection *, const char *, int), void *))              \
    USE(int, wal_checkpoint_v2, (sqlite_connection *, const char *, int, int *, int *))                      \
    USE(int, exec,                                                                                           \
        (sqlite_connection *, const char *, int (*)(void *, int, char **, char **), void *, char **))        \
    USE(const char *, errmsg, (sqlite_connection *))                                                         \
    USE(const char *, errstr, (int))                                                                         \
    USE(int, extended_errcode, (sqlite_connection *))                                                        \
    USE(int, system_errno, (sqlite_connection *))                                                            \
    USE(int, changes, (sqlite_connection *))                                                                 \
    USE(int, prepare_v3,                                                                                     \
        (sqlite_connection *, const char *, int, unsigned, sqlite_statement **, const char **))              \
    USE(int, finalize, (sqlite_statement *))                                                                 \
    USE(int, step, (sqlite_statement *))                                                                     \
    USE(int, reset, (sqlite_statement *))                                                                    \
    USE(int, clear_bindings, (sqlite_statement *))                                                           \
    USE(int, bind_int64, (sqlite_statement *, int, int64_t))                                                 \
    USE(int, bind_blob64, (sqlite_statement *, int, const void *, uint64_t, void (*)(void *)))               \
    USE(int, bind_text, (sqlite_statement *, int, const char *, int, void (*)(void *)))                      \
    USE(int64_t, column_int64, (sqlite_statement *, int))                                                    \
    USE(const void *, column_blob, (sqlite_statement *, int))                                                \
    USE(int, column_bytes, (sqlite_statement *, int))

static struct {
#define MEMBER(RESULT, NAME, PARAMETERS) RESULT(*NAME) PARAMETERS;
    FUNCTIONS(MEMBER)
#undef MEMBER
} library;

static char reason[512];

/* Fills the table, or says the reason why it cannot. */
static void load(void) {
    void *handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *text = dlerror();
        snprintf(reason, sizeof reason, "%s", text ? text : "libsqlite3.so.0 cannot be opened");
        return;
    }
#define FIND(RESULT, NAME, PARAMETERS)                                                                       \
    library.NAME = (RESULT(*) PARAMETERS)dlsym(handle, "sqlite3_" #NAME);                                    \
    if (!library.NAME && !reason[0]) {                                                                       \
        snprintf(reason, sizeof reason, "libsqlite3.so.0 has no function sqlite3_" #NAME);                   \
    }
    FUNCTIONS(FIND)
#undef FIND
}

const char *sqlite_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return reason[0] ? reason : NULL;
}

/* SQLite notes no error number when a commit fails, so the calls that commit note it. */
static _Thread_local int last_errno;

static int noted(int code) {
    last_errno = errno;
    return code;
}

int sqlite_open_v2(const char *file, sqlite_connection **connection, int flags) {
    int code = library.open_v2(file, connection, flags, NULL);
    if (*connection)
        library.extended_result_codes(*connection, 1);
    return code;
}

int sqlite_close_v2(sqlite_connection *connection) { return library.close_v2(connection); }

int sqlite_busy_timeout(sqlite_connection *connection, int milliseconds) {
    return library.busy_timeout(connection, milliseconds);
}

int sqlite_keep_log(sqlite_connection *connection) {
    const int no_checkpoint_on_close = 1006;
    return library.db_config(connection, no_checkpoint_on_close, 1, NULL);
}

static int count_frames(void *frames, sqlite_connection *connection, const char *database, int count) {
    (void)connection, (void)database;
    *(int *)frames = count;
    return SQLITE_CODE_OK;
}

void sqlite_count_frames(sqlite_connection *connection, int *frames) {
    library.wal_hook(connection, count_frames, frames);
}

int sqlite_wal_checkpoint_v2(sqlite_connection *connection, int mode) {
    errno = 0;
    return noted(library.wal_checkpoint_v2(connection, NULL, mode, NULL, NULL));
}

int sqlite_exec(sqlite_connection *connection, const char *sql) {
    errno = 0;
    return noted(library.exec(connection, sql, NULL, NULL, NULL));
}

const char *sqlite_errmsg(sqlite_connection *connection) { return library.errmsg(connection); }

const char *sqlite_errstr(int code) { return library.errstr(code); }

int sqlite_extended_errcode(sqlite_connection *connection) { return library.extended_errcode(connection); }

int sqlite_system_errno(sqlite_connection *connection) {
    int number = library.system_errno(connection);
    return number ? number : last_errno;
}

int sqlite_changes(sqlite_connection *connection) { return library.changes(connection); }

int sqlite_prepare_v3(sqlite_connection *connection, const char *sql, sqlite_statement **statement) {
    const unsigned persistent = 1;
    return library.prepare_v3(connection, sql, -1, persistent, statement, NULL);
}

int sqlite_finalize(sqlite_statement *statement) { return library.finalize(statement); }

int sqlite_step(sqlite_statement *statement) {
    errno = 0;
    return noted(library.step(statement));
}

int sqlite_reset(sqlite_statement *statement) {
    int code = library.reset(statement);
    library.clear_bindings(statement);
    return code;
}

int sqlite_bind_int64(sqlite_statement *statement, int index, int64_t value) {
    return library.bind_int64(statement, index, value);
}

int sqlite_bind_blob64(sqlite_statement *statement, int index, const void *bytes, uint64_t size) {
    /* SQLite stores NULL for a null pointer, and the column must not be NULL. */
    return library.bind_blob64(statement, index, bytes ? bytes : "", size, NULL);
}

int sqlite_bind_text(sqlite_statement *statement, int index, const char *text) {
    return library.bind_text(statement, index, text, -1, NULL);
}

int64_t sqlite_column_int64(sqlite_statement *statement, int column) {
    return library.column_int64(statement, column);
}

const void *sqlite_column_blob(sqlite_statement *statement, int column) {
    return library.column_blob(statement, column);
}

int sqlite_column_bytes(sqlite_statement *statement, int column) {
    return library.column_bytes(statement, column);
}
