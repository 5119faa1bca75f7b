// Crashes in every way that a call can. The compiler cannot see the faults.
#include <spinhost/plugin.h>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

SPIN_PLUGIN("crashes", "1.0.0");
SPIN_EMITTER(told, (const char *, text));
SPIN_EMITTER(listed, (spin_string, text));

static int64_t *volatile nothing;
static volatile int64_t zero;

static int64_t fine(int64_t n) { return n; }
SPIN_EFFECT(int64_t, fine, (int64_t n), "");

static int64_t read_null(void) { return *nothing; }
SPIN_EFFECT(int64_t, read_null, (void), "");

static int64_t write_code(void) {
    auto *code = reinterpret_cast<volatile char *>(reinterpret_cast<uintptr_t>(&fine));
    *code = 0;
    return 0;
}
SPIN_EFFECT(int64_t, write_code, (void), "");

static int64_t read_beyond_file(void) {
    const int file = memfd_create("empty", 0);
    auto *page = static_cast<volatile char *>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0));
    close(file);
    return *page;
}
SPIN_EFFECT(int64_t, read_beyond_file, (void), "");

static int64_t divide(void) {
    if (zero == 0)
        raise(SIGFPE); // not every machine traps a division
    return 1 / zero;
}
SPIN_EFFECT(int64_t, divide, (void), "");

static int64_t trap(void) {
    __builtin_trap();
    return 0;
}
SPIN_EFFECT(int64_t, trap, (void), "");

static int64_t give_up(void) { abort(); }
SPIN_EFFECT(int64_t, give_up, (void), "");

// As older C libraries raise a signal: it comes once it is no longer blocked.
static int64_t give_up_later(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    raise(SIGABRT);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return 0;
}
SPIN_EFFECT(int64_t, give_up_later, (void), "");

static int64_t terminate() noexcept { throw std::runtime_error("nobody catches this"); }
static int64_t throw_through_noexcept(void) { return terminate(); }
SPIN_EFFECT(int64_t, throw_through_noexcept, (void), "");

static int64_t deeper(volatile char *before) {
    volatile char frame[512];
    frame[0] = before == nullptr ? 0 : before[0];
    return zero < 0 ? 0 : deeper(frame) + frame[0];
}
static int64_t overflow_stack(void) { return deeper(nullptr); }
SPIN_EFFECT(int64_t, overflow_stack, (void), "");

static int64_t throw_text(void) { throw std::runtime_error("an ordinary exception"); }
SPIN_EFFECT(int64_t, throw_text, (void), "");

// Invalid pointers that the host would read.
static const char *return_wild_text(void) {
    return reinterpret_cast<const char *>(static_cast<uintptr_t>(16));
}
SPIN_EFFECT(const char *, return_wild_text, (void), "");

static spin_status emit_wild_text(spin_call *call) { return told(call, return_wild_text()); }
SPIN_EFFECT(int32_t, emit_wild_text, (spin_call *call), "");

static spin_status emit_more_than_there_is(spin_call *call) {
    void *pages = mmap(nullptr, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto *first = static_cast<char *>(pages);
    mprotect(first + 4096, 4096, PROT_NONE);
    const spin_status status = listed(call, spin_string{first, 4097});
    munmap(pages, 2 * 4096);
    return status;
}
SPIN_EFFECT(int32_t, emit_more_than_there_is, (spin_call *call), "");

static spin_status emit_wild_payload(spin_call *call) {
    return spin_emit(call, &spin_emitter_told, return_wild_text());
}
SPIN_EFFECT(int32_t, emit_wild_payload, (spin_call *call), "");

static spin_status log_wild_text(void) {
    const auto *service = static_cast<const spin_log_service *>(spin_service(SPIN_LOG_SERVICE));
    return service->write(spin_current_host(), nullptr, 0, return_wild_text(), 10, nullptr, 0);
}
SPIN_EFFECT(int32_t, log_wild_text, (void), "");

// Crashes in functions that the host calls back, or after calls of the host.
static int64_t emit_and_crash(spin_call *call) {
    told(call, "the last words");
    return *nothing;
}
SPIN_EFFECT(int64_t, emit_and_crash, (spin_call *call), "");

static void crash_in_callback(void *) { zero = *nothing; }
static void crash_when_due(void *, uint64_t) { zero = *nothing; }

static spin_status crash_on_cancel(spin_call *call) {
    return spin_on_cancel(call, crash_in_callback, nullptr);
}
SPIN_EFFECT(int32_t, crash_on_cancel, (spin_call *call), "");

static spin_status crash_on_timer(spin_call *call) {
    return spin_timer_start(call, 1, 1, crash_when_due, nullptr, nullptr, nullptr);
}
SPIN_EFFECT(int32_t, crash_on_timer, (spin_call *call), "");

static spin_status crash_on_release(spin_call *call) {
    return spin_timer_start(
        call, 1, 0, [](void *, uint64_t) {}, nullptr, crash_in_callback, nullptr);
}
SPIN_EFFECT(int32_t, crash_on_release, (spin_call *call), "");

static void wait(spin_call *) {}
SPIN_EFFECT(void, wait, (spin_call *call), "Emits nothing, and does not end.");
