// The functions of a plugin in words. The host prepares them when it loads the plugin, so that a signal
// handler and the watching thread can name the call that runs.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of functions.
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
    /// True: the host catches a crash in a call.
    bool is_guarded;
    /// A call has returned, and the host has restored its signal handlers.
    bool is_settled;
    /// A call has returned, and the host has restored the calling thread's signal mask.
    bool has_returned;
    /// Not 0 when the plugin must not be called again. All functions of the plugin share it.
    int32_t *quarantined;
    /// "effect `fetch`"; for a callback, the function that registered it.
    const char *what;
    /// The function's name; empty for a callback.
    const char *name;
    /// "plugin `levels` 1.0.0".
    const char *plugin;
    /// Lines about the origin of the code, each with its line end.
    const char *origin;
    /// The host's pointer for the plugin; never dereferenced here.
    const void *owner;
} foreign_callee;

/// A callee with copies of the texts. Aborts when memory is exhausted.
foreign_callee *foreign_callee_create(int32_t role, const char *what, const char *name, const char *plugin,
                                      const char *origin, const void *owner, bool is_guarded,
                                      int32_t *quarantined);

/// Frees a callee with its texts. No thread may be in a call of it.
void foreign_callee_destroy(foreign_callee *callee);

/// Makes the mark that a plugin's callees share, 0 at first.
int32_t *foreign_quarantine_create(void);

/// Frees a mark, after all callees that share it.
void foreign_quarantine_destroy(int32_t *quarantined);

/// True when the plugin must not be called again.
bool foreign_is_quarantined(const int32_t *quarantined);

/// True for the first call with a callee, false for later calls.
bool foreign_callee_settle(foreign_callee *callee);

/// A call that runs on some thread.
typedef struct foreign_running_call {
    /// Different for any two threads that run at the same time.
    uintptr_t thread;
    /// Counts the calls of the thread. Each call has another number.
    uint64_t serial;
    const foreign_callee *callee;
} foreign_running_call;

/// Writes the calls that run on threads of the process, at most `capacity` of them. Returns the number of all
/// that run. Never waits for a plugin.
size_t foreign_running_calls(foreign_running_call *calls, size_t capacity);

/// The function that this thread calls; NULL when it is in no call.
const foreign_callee *foreign_callee_current(void);

#ifdef __cplusplus
}
#endif
