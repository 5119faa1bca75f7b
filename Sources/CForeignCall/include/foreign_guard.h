// What becomes of a crash. In a call of a guarded plugin it is an answer of that call. In any other call the process says
// which plugin it was and ends as it would have.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Puts the handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP and SIGABRT in front of those that are installed, which
/// go on to get every signal that is no crash of a guarded call. Also says so when a plugin ends the process, and ends
/// a child that a plugin's fork leaves in the host. Does nothing for handlers that are in front already.
///
/// Returns a number of bits: bit n is set when it found the handler of the n-th of these signals replaced since the last
/// time. `handlers` gets the addresses of those that it found, 0 for the default action, and has room for
/// `FOREIGN_GUARDED_SIGNALS`. [any], one thread at a time.
uint32_t foreign_guard_install(uintptr_t *handlers);

enum { FOREIGN_GUARDED_SIGNALS = 6 };

/// The name of the n-th signal: "SIGSEGV".
const char *foreign_guarded_signal(size_t index);

/// Leaves the guarded call that this thread is in for code of the host: from now on a crash is the host's own. Returns
/// what `foreign_guard_resume` takes; NULL when no call is guarded right now.
void *foreign_guard_suspend(void);

/// Goes back to the call.
void foreign_guard_resume(void *suspended);

/// True when `size` bytes at `address` can be read.
bool foreign_is_readable(const void *address, size_t size);

/// The number of bytes before the first NUL; negative when memory ends before that.
int64_t foreign_text_size(const char *text);

/// The events of one loop, as the report of a crash reads them: the host writes `count` and `last`, which has the last
/// `FOREIGN_TRAIL_LENGTH` events as indices of `events`, that of number n at n modulo the length.
typedef struct foreign_trail {
    const char *loop;
    const char *const *events;
    size_t event_count;
    const uint64_t *count;
    const int32_t *last;
} foreign_trail;

enum { FOREIGN_TRAIL_LENGTH = 16 };

/// Adds a trail, whose memory stays until it is removed, to those that a report shows, and returns what it is removed by;
/// NULL when there are 64 already.
void *foreign_trail_add(const foreign_trail *trail);

/// Removes it; NULL is none.
void foreign_trail_remove(void *added);

#ifdef __cplusplus
}
#endif
