// Handles crashes. A crash in a call of a guarded plugin is an error of that call. In any other call, the
// process names the plugin on stderr, and then ends as it would without a handler.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Installs handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP and SIGABRT. They pass every signal that is
/// not a crash of a guarded call to the previous handlers. A handler that is installed already is kept.
///
/// From the first call on, the process also reports a plugin that ends it. After a plugin's fork, a child
/// process that returns from the plugin's call is ended.
///
/// Returns a set of bits. Bit n is set if the handler of the n-th signal was replaced since the last call.
/// `handlers` must have room for `FOREIGN_GUARDED_SIGNALS` addresses, and gets those of the replacing
/// handlers: 0 for the default action. [any], one thread at a time.
uint32_t foreign_guard_install(uintptr_t *handlers);

enum { FOREIGN_GUARDED_SIGNALS = 6 };

/// Leaves the advice to isolate a plugin out of the reports of this process, which is a plugin's own. Call it before
/// a plugin is loaded.
void foreign_report_in_worker(void);

/// The name of the n-th signal: "SIGSEGV".
const char *foreign_guarded_signal(size_t index);

/// Suspends the guard of this thread's call, because code of the host runs: from now on, a crash is the
/// host's own. Returns the argument for `foreign_guard_resume`, or NULL when no call is guarded right now.
void *foreign_guard_suspend(void);

/// Resumes the guard that was suspended. NULL has no effect.
void foreign_guard_resume(void *suspended);

/// True when `size` bytes at `address` can be read.
bool foreign_is_readable(const void *address, size_t size);

/// True when `size` bytes at `address` can be written. It writes the bytes that are there.
bool foreign_is_writable(void *address, size_t size);

/// The number of bytes before the first NUL; negative when memory ends before that.
int64_t foreign_text_size(const char *text);

/// From now on, the report of a plugin that ends the process is also a new file at `path`, which only this user can
/// read: one JSON object. It begins with `head`, text such as `{"app":"door",`. Members "time", in seconds since 1970, and
/// "report", the text, follow. Folders that are missing are made when the report is written. A report before replaces
/// nothing: a file that is there stays. Returns false when a text has more than 4095 bytes; there is no file then. [any],
/// one thread at a time.
bool foreign_report_to(const char *path, const char *head);

/// Names output that the process has not written yet: `*size` bytes at `bytes`. When a plugin or a crash ends the
/// process, the report is written first, and then these bytes to the descriptor. The process does not wait for a reader
/// that does not read. The memory must stay valid until the next call. NULL: there is no such output. [any], one thread
/// at a time.
void foreign_report_output(int descriptor, const void *bytes, const intptr_t *size);

/// Sets `*size` of `foreign_report_output`, after the bytes.
static inline void foreign_output_set(intptr_t *size, intptr_t value) {
    __atomic_store_n(size, value, __ATOMIC_RELEASE);
}

/// The last events of one loop, for the report of a crash. The host writes `count` and `last`. `last` holds
/// the last `FOREIGN_TRAIL_LENGTH` events as indices of `events`. Event number n is at n modulo the length.
typedef struct foreign_trail {
    const char *loop;
    const char *const *events;
    size_t event_count;
    const uint64_t *count;
    const int32_t *last;
} foreign_trail;

enum { FOREIGN_TRAIL_LENGTH = 16 };

/// Adds a trail to those that a report shows. Its memory must stay valid until it is removed. Returns the
/// argument for `foreign_trail_remove`, or NULL when there are 64 already.
void *foreign_trail_add(const foreign_trail *trail);

/// Removes a trail. NULL has no effect.
void foreign_trail_remove(void *added);

#ifdef __cplusplus
}
#endif
