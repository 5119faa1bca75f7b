/* The functions of libsqlite3 that the journal uses. The library is opened when a journal is named: linked, it
 * would cost every start of the host half a millisecond.
 *
 * Each function is the one of SQLite with the same name after `sqlite3_`, which https://sqlite.org/c3ref
 * describes. One thread at a time may use a connection and its statements. */
#ifndef CSQLITE_H
#define CSQLITE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sqlite3 sqlite_connection;
typedef struct sqlite3_stmt sqlite_statement;

/* Result codes; a more exact one has them in its lowest byte. */
enum {
    SQLITE_CODE_OK = 0,
    SQLITE_CODE_ERROR = 1,
    SQLITE_CODE_PERM = 3,
    SQLITE_CODE_BUSY = 5,
    SQLITE_CODE_LOCKED = 6,
    SQLITE_CODE_NOMEM = 7,
    SQLITE_CODE_READONLY = 8,
    SQLITE_CODE_IOERR = 10,
    SQLITE_CODE_CORRUPT = 11,
    SQLITE_CODE_FULL = 13,
    SQLITE_CODE_CANTOPEN = 14,
    SQLITE_CODE_NOTADB = 26,
    SQLITE_CODE_ROW = 100,
    SQLITE_CODE_DONE = 101,
};

/* How a file is opened. */
enum {
    SQLITE_FLAG_READONLY = 0x1,
    SQLITE_FLAG_READWRITE = 0x2,
    SQLITE_FLAG_URI = 0x40,
    SQLITE_FLAG_NOMUTEX = 0x8000,
};

/* How a checkpoint treats readers: it never waits for them, or empties the log if there are none. */
enum { SQLITE_MODE_PASSIVE = 0, SQLITE_MODE_TRUNCATE = 3 };

/* Opens the library, once in the process. From any thread.
 *
 * Returns null, or the reason why there is no usable library, which lives for ever. No other function may be
 * called before it has returned null. */
const char *sqlite_load(void);

int sqlite_open_v2(const char *file, sqlite_connection **connection, int flags);
int sqlite_close_v2(sqlite_connection *connection);
int sqlite_busy_timeout(sqlite_connection *connection, int milliseconds);
/* From now on, closing the connection leaves the log of the database as it is. */
int sqlite_keep_log(sqlite_connection *connection);
/* After each commit, `*frames` is the number of pages in the log of the database. It must live as long as the
 * connection. SQLite itself makes no checkpoint from now on, as it would ignore its errors. */
void sqlite_count_frames(sqlite_connection *connection, int *frames);
int sqlite_wal_checkpoint_v2(sqlite_connection *connection, int mode);
int sqlite_exec(sqlite_connection *connection, const char *sql);
/* SQLite's words for the last error of the connection. The next call makes them invalid. */
const char *sqlite_errmsg(sqlite_connection *connection);
const char *sqlite_errstr(int code);
int sqlite_extended_errcode(sqlite_connection *connection);
/* The error number of the system call that failed in the last call of the connection, on the same thread; 0 if
 * none did. */
int sqlite_system_errno(sqlite_connection *connection);
int sqlite_changes(sqlite_connection *connection);

/* Prepares a statement that is used again and again. */
int sqlite_prepare_v3(sqlite_connection *connection, const char *sql, sqlite_statement **statement);
int sqlite_finalize(sqlite_statement *statement);
int sqlite_step(sqlite_statement *statement);
/* Ends the execution, and forgets the bound values. */
int sqlite_reset(sqlite_statement *statement);
int sqlite_bind_int64(sqlite_statement *statement, int index, int64_t value);
/* The bytes and the text must live until the statement is reset. */
int sqlite_bind_blob64(sqlite_statement *statement, int index, const void *bytes, uint64_t size);
int sqlite_bind_text(sqlite_statement *statement, int index, const char *text);
int64_t sqlite_column_int64(sqlite_statement *statement, int column);
/* The bytes are valid until the statement is stepped or reset; null if there are none. */
const void *sqlite_column_blob(sqlite_statement *statement, int column);
/* The number of bytes of `sqlite_column_blob`, which must be called before. */
int sqlite_column_bytes(sqlite_statement *statement, int column);

#ifdef __cplusplus
}
#endif

#endif /* CSQLITE_H */
