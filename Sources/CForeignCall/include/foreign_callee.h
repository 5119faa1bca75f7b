// What is called in a plugin, in words: prepared when a plugin is loaded, so that a handler of a signal and a watching
// thread can name the call that runs without asking anybody.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What kind of function it is.
enum {
    FOREIGN_EFFECT,
    FOREIGN_FUNCTION,
    FOREIGN_REDUCER,
    FOREIGN_TIMER,
    FOREIGN_CANCELLATION,
    FOREIGN_RELEASE,
    FOREIGN_LIFE,
    FOREIGN_WORK
};

/// One function of one plugin. Only the two flags below change. All texts are NUL-terminated.
typedef struct foreign_callee {
    /// One of `FOREIGN_EFFECT` ….
    int32_t role;
    /// True: a crash in a call is caught.
    bool is_guarded;
    /// A call has returned, and the handlers of signals were looked after.
    bool is_settled;
    /// A call has returned, and the calling thread's mask of signals was looked after.
    bool has_returned;
    /// Not 0 when the plugin must not be called any more; shared by all functions of the plugin.
    int32_t *quarantined;
    /// "effect `fetch`"; for a callback what it was given to.
    const char *what;
    /// The function's name; empty for a callback.
    const char *name;
    /// "plugin `levels` 1.0.0".
    const char *plugin;
    /// Lines that say where the code comes from, each with its line end.
    const char *origin;
    /// What the host knows the plugin by; never dereferenced here.
    const void *owner;
} foreign_callee;

/// A callee with copies of the texts. Aborts when memory is exhausted.
foreign_callee *foreign_callee_create(int32_t role, const char *what, const char *name, const char *plugin,
                                      const char *origin, const void *owner, bool is_guarded,
                                      int32_t *quarantined);

/// Frees a callee with its texts. No thread may be in a call of it.
void foreign_callee_destroy(foreign_callee *callee);

/// The mark of a plugin that its callees share, 0 at first.
int32_t *foreign_quarantine_create(void);

/// Frees a mark, after all callees that share it.
void foreign_quarantine_destroy(int32_t *quarantined);

/// True when the plugin must not be called any more.
bool foreign_is_quarantined(const int32_t *quarantined);

/// True the first time it is asked about a callee.
bool foreign_callee_settle(foreign_callee *callee);

/// A call that runs on some thread.
typedef struct foreign_running_call {
    /// Tells threads that run at the same time apart.
    uintptr_t thread;
    /// Counts the calls of the thread: another number is another call.
    uint64_t serial;
    const foreign_callee *callee;
} foreign_running_call;

/// Writes the calls that run on threads of the process, at most `capacity` of them, and returns how many there are.
/// Waits for nothing that a plugin does.
size_t foreign_running_calls(foreign_running_call *calls, size_t capacity);

/// What this thread calls; NULL when it is in no call.
const foreign_callee *foreign_callee_current(void);

#ifdef __cplusplus
}
#endif
