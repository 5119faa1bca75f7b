// What a process says that a plugin takes down, and how it ends: each case in a child of its own.
#include <foreign_call.h>
#include <foreign_guard.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int failures = 0;
int64_t *volatile nothing = nullptr;
volatile int64_t sink = 0;

__attribute__((noinline, no_sanitize("address", "undefined"))) void read_null(void *) { sink = *nothing; }
void give_up(void *) { abort(); }
void leave(void *) { exit(0); }
void end_thread(void *) { pthread_exit(nullptr); }
void crash_in_host(void *) {
    foreign_guard_suspend();
    read_null(nullptr);
}
void fork_and_return(void *) {
    const pid_t child = fork();
    if (child == 0) {
        return;
    }
    int status = 0;
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? 40 + WEXITSTATUS(status) : 1);
}

const char *const events[] = {"ticked", "moved"};
const uint64_t event_count = 18;
const int32_t last_events[FOREIGN_TRAIL_LENGTH] = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7};

void call(bool is_guarded, void (*function)(void *)) {
    const foreign_callee *callee =
        foreign_callee_create(FOREIGN_EFFECT, "effect `f`", "f", "plugin `p` 1.0", "  library: /p.so\n",
                              nullptr, is_guarded, foreign_quarantine_create());
    char message[16];
    foreign_call_back(callee, function, nullptr, message, sizeof message);
}

/// Runs a call in a child; `status` is what `waitpid` has.
std::string said(bool is_guarded, void (*function)(void *), int &status) {
    int ends[2];
    if (pipe(ends) != 0) {
        abort();
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        const foreign_trail trail = {"main", events, 2, &event_count, last_events};
        void *added = foreign_trail_add(&trail);
        foreign_trail_remove(foreign_trail_add(&trail));
        call(is_guarded, function);
        foreign_trail_remove(added);
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    char part[512];
    ssize_t count = 0;
    while ((count = read(ends[0], part, sizeof part)) > 0) {
        text.append(part, static_cast<size_t>(count));
    }
    close(ends[0]);
    waitpid(child, &status, 0);
    return text;
}

const char *const trailer =
    "  loop `main`, last events of 18: ticked ticked ticked ticked ticked ticked moved ? moved moved\n";
const char *const help =
    "  help: with `isolation = \"guarded\"` a crash in a call of the plugin is a fault of that call\n";

void expect(const char *name, bool is_guarded, void (*function)(void *), bool is_signal, int number,
            const std::string &text) {
    int status = 0;
    const std::string found = said(is_guarded, function, status);
    const bool ends = is_signal ? WIFSIGNALED(status) && WTERMSIG(status) == number
                                : WIFEXITED(status) && WEXITSTATUS(status) == number;
    if (!ends || found != text) {
        fprintf(stderr, "%s: status %x\nexpected:\n%sfound:\n%s", name, status, text.c_str(), found.c_str());
        failures++;
    }
}

std::string report(const char *first) {
    return std::string("fatal: ") + first + "\n  library: /p.so\n" + trailer;
}

} // namespace

int main() {
    // The sanitizers have handlers of their own, which would report as well.
    for (const int signal : {SIGSEGV, SIGABRT}) {
        std::signal(signal, SIG_DFL);
    }
    uintptr_t handlers[FOREIGN_GUARDED_SIGNALS];
    foreign_guard_install(handlers);
    expect("a crash", false, read_null, true, SIGSEGV,
           report("SIGSEGV at address 0x0 in effect `f` of plugin `p` 1.0") + help);
    expect("abort", false, give_up, true, SIGABRT, report("SIGABRT in effect `f` of plugin `p` 1.0") + help);
    expect("a guarded crash", true, read_null, false, 0, "");
    expect("a crash of the host", true, crash_in_host, true, SIGSEGV,
           report("SIGSEGV at address 0x0 in a function of the host that was called by effect `f` of plugin "
                  "`p` 1.0"));
    expect("exit", false, leave, false, 2,
           report("effect `f` of plugin `p` 1.0 ended the process with `exit(0)`"));
    expect("the end of a thread", false, end_thread, false, 2,
           report("effect `f` of plugin `p` 1.0 ended a thread of the host with `pthread_exit`"));
    expect("a child that comes back", false, fork_and_return, false, 42,
           "error: effect `f` of plugin `p` 1.0 forked, and returned in the child, which ends here: a child "
           "calls `exec` or `_exit`\n");
    return failures == 0 ? 0 : 1;
}
