// Crashes in guarded calls, and what becomes of those outside.
#include <foreign_call.h>
#include <foreign_guard.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

#define WILD __attribute__((noinline, no_sanitize("address", "undefined")))

namespace {

int failures = 0;

void check(const char *what, bool holds) {
    if (!holds) {
        fprintf(stderr, "fails: %s\n", what);
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    }
}

int64_t *volatile nothing = nullptr;
volatile int64_t sink = 0;

WILD void read_null(void *) { sink = *nothing; }
void give_up(void *) { abort(); }
void give_up_later(void *) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    raise(SIGABRT);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
void raise_fpe(void *) { raise(SIGFPE); }
void throw_text(void *) { throw std::runtime_error("words"); }
void do_nothing(void *) {}
WILD int64_t deeper(volatile char *before) {
    volatile char frame[256];
    frame[0] = before == nullptr ? 0 : before[0];
    return sink < 0 ? 0 : deeper(frame) + frame[0];
}
WILD void overflow_stack(void *) { sink = deeper(nullptr); }

foreign_callee *callee(bool is_guarded = true) {
    return foreign_callee_create(FOREIGN_EFFECT, "effect `f`", "f", "plugin `p`", "", nullptr, is_guarded,
                                 foreign_quarantine_create());
}

int32_t call(const foreign_callee *callee, void (*function)(void *), void *context, std::string &message) {
    char text[128] = "";
    const int32_t status = foreign_call_back(callee, function, context, text, sizeof text);
    message = text;
    return status;
}

void crash_once(void (*function)(void *), const char *expected) {
    std::string message;
    const foreign_callee *one = callee();
    check("a call returns", call(one, do_nothing, nullptr, message) == FOREIGN_RETURNED);
    check("a crash is an answer", call(one, function, nullptr, message) == FOREIGN_CRASHED);
    check(message.c_str(), message.rfind(expected, 0) == 0);
    check("and the last", call(one, do_nothing, nullptr, message) == FOREIGN_REFUSED);
    check("nothing is called any more", foreign_callee_current() == nullptr);
}

void crash_in_all_ways() {
    crash_once(read_null, "SIGSEGV at address 0x0");
    crash_once(give_up, "SIGABRT");
    crash_once(give_up_later, "SIGABRT");
    crash_once(raise_fpe, "SIGFPE");
    crash_once(overflow_stack, "SIGSEGV at address 0x");
    std::string message;
    const foreign_callee *one = callee();
    check("an exception is an answer", call(one, throw_text, nullptr, message) == FOREIGN_THREW);
    check("with its words", message == "words");
    check("and not the last", call(one, do_nothing, nullptr, message) == FOREIGN_RETURNED);
}

// What a function of the host does for a guarded plugin: it leaves the call, and may call a plugin itself.
void enter_host(void *context) {
    void *suspended = foreign_guard_suspend();
    check("a call is left once", foreign_guard_suspend() == nullptr);
    std::string message;
    check("an inner crash is the inner call's",
          call(static_cast<const foreign_callee *>(context), read_null, nullptr, message) == FOREIGN_CRASHED);
    foreign_guard_resume(suspended);
    read_null(nullptr);
}

void crash_inside() {
    std::string message;
    const foreign_callee *inner = callee();
    const foreign_callee *outer = callee();
    check("an outer crash is the outer call's",
          call(outer, enter_host, const_cast<foreign_callee *>(inner), message) == FOREIGN_CRASHED);
    check("no call is left over", foreign_guard_suspend() == nullptr);
}

void read_memory() {
    auto *pages = static_cast<char *>(
        mmap(nullptr, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(pages + 4096, 4096, PROT_NONE);
    memset(pages, 'x', 4096);
    check("a page can be read", foreign_is_readable(pages, 4096));
    check("nothing can be read anywhere", foreign_is_readable(nullptr, 0));
    check("one byte more cannot", !foreign_is_readable(pages, 4097));
    check("nor a wild pointer", !foreign_is_readable(reinterpret_cast<void *>(16), 1));
    check("a text without end is none", foreign_text_size(pages) == -1);
    pages[4095] = 0;
    check("a text ends at its NUL", foreign_text_size(pages + 4000) == 95);
    munmap(pages, 2 * 4096);
}

// A handler that was there before gets every crash that is nobody's.
sigjmp_buf back;
volatile sig_atomic_t passed_on = 0;
void remember(int) {
    passed_on = passed_on + 1;
    siglongjmp(back, 1);
}

void pass_on() {
    if (sigsetjmp(back, 1) == 0) {
        read_null(nullptr);
        check("a crash outside of a call ends it", false);
    }
    check("the handler before is called", passed_on == 1);
}

// A plugin's handler in the place of the host's.
void change_handler(void *) {
    struct sigaction action = {};
    action.sa_handler = remember;
    sigaction(SIGSEGV, &action, nullptr);
}

void find_replaced() {
    std::string message;
    const foreign_callee *one = callee();
    check("a call may change a handler", call(one, change_handler, nullptr, message) == FOREIGN_RETURNED);
    uintptr_t handlers[FOREIGN_GUARDED_SIGNALS];
    check("which is found", foreign_guard_install(handlers) == 1);
    check("with its address", handlers[0] == reinterpret_cast<uintptr_t>(remember));
    check("once", foreign_guard_install(handlers) == 0);
    crash_once(read_null, "SIGSEGV at address 0x0");
}

} // namespace

int main() {
    struct sigaction action = {};
    action.sa_handler = remember;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    uintptr_t handlers[FOREIGN_GUARDED_SIGNALS];
    check("what was there before is not replaced", foreign_guard_install(handlers) == 0);
    crash_in_all_ways();
    crash_inside();
    read_memory();
    pass_on();
    find_replaced();
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; number++) {
        threads.emplace_back([] {
            for (int round = 0; round < 20; round++) {
                crash_in_all_ways();
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    foreign_running_call running[1];
    check("all calls are over", foreign_running_calls(running, 1) == 0);
    return failures == 0 ? 0 : 1;
}
