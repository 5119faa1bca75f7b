#include "foreign_guard.h"

#include "foreign_contained.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

constexpr int signals[FOREIGN_GUARDED_SIGNALS] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
const char *const signal_names[FOREIGN_GUARDED_SIGNALS] = {"SIGSEGV", "SIGBUS",  "SIGILL",
                                                           "SIGFPE",  "SIGTRAP", "SIGABRT"};

// The previous action of each signal. Only the handler reads it.
struct sigaction before[FOREIGN_GUARDED_SIGNALS];
// Code that came later has installed the previous action. It may repair what happened, as some runtimes do.
bool may_repair[FOREIGN_GUARDED_SIGNALS];
bool is_installed = false;
// The process is a fork of the one that has the handlers.
bool is_child = false;
// The process reports one crash, even when several threads crash.
sig_atomic_t has_reported = 0;
// Volatile, so that the compiler keeps the loads that test whether memory is readable.
volatile char read_byte;

size_t index_of(int signal) {
    size_t index = 0;
    while (index < FOREIGN_GUARDED_SIGNALS && signals[index] != signal) {
        index++;
    }
    return index;
}

void take_default_action(int signal, bool repeats) {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    if (!repeats) {
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
    }
}

/// Whether a signal is reported on a thread that calls no plugin: only if it ends the process.
bool ends_process(int signal) {
    const size_t index = index_of(signal);
    return !is_child && index < FOREIGN_GUARDED_SIGNALS && !may_repair[index];
}

/// Passes a signal to its previous action. Afterwards, the thread repeats the instruction that crashed.
void pass_on(int signal, siginfo_t *info, void *context) {
    foreign_thread *thread = &foreign_this_thread;
    // A signal that was sent does not come again, nor does a trap, as the thread continues after its
    // instruction.
    const bool repeats = info->si_code > 0 && signal != SIGTRAP;
    const size_t index = index_of(signal);
    // The previous handler may pass the signal back to this one.
    if (index == FOREIGN_GUARDED_SIGNALS || thread->is_passing) {
        take_default_action(signal, repeats);
        return;
    }
    const struct sigaction &next = before[index];
    thread->is_passing = 1;
    if ((next.sa_flags & SA_SIGINFO) != 0 && next.sa_sigaction != nullptr) {
        next.sa_sigaction(signal, info, context);
    } else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) {
        next.sa_handler(signal);
    } else {
        take_default_action(signal, repeats);
    }
    thread->is_passing = 0;
}

#if defined(__x86_64__) || defined(__aarch64__)
/// Whether the bytes right before `next` are this instruction.
bool follows(uintptr_t next, const char *instruction, size_t size) {
    // The page before may be missing. The registers alone decide then.
    return next % 4096 < size || memcmp(reinterpret_cast<const char *>(next) - size, instruction, size) == 0;
}
#endif

/// Whether the calling thread has sent the signal to itself, as `raise` and `abort` do.
///
/// The kernel tells the process that a signal comes from, not the thread, so the registers decide. A thread
/// gets its own signal when tgkill(2) returns. With the `raise` of older C libraries, which blocks signals
/// meanwhile, it gets the signal when rt_sigprocmask(2) returns.
bool is_own(int signal, const void *context) {
#if defined(__x86_64__)
    const greg_t *registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
    const int first = static_cast<int>(registers[REG_RDI]);
    const bool sends = first == getpid() && static_cast<int>(registers[REG_RSI]) == syscall(SYS_gettid) &&
                       static_cast<int>(registers[REG_RDX]) == signal;
    const bool unblocks = (first == SIG_UNBLOCK || first == SIG_SETMASK) && registers[REG_R10] == _NSIG / 8;
    return registers[REG_RAX] == 0 && (sends || unblocks) &&
           follows(static_cast<uintptr_t>(registers[REG_RIP]), "\x0f\x05", 2);
#elif defined(__aarch64__)
    const mcontext_t &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
    const bool sends = machine.regs[8] == SYS_tgkill &&
                       static_cast<int>(machine.regs[1]) == syscall(SYS_gettid) &&
                       static_cast<int>(machine.regs[2]) == signal;
    const bool unblocks = machine.regs[8] == SYS_rt_sigprocmask;
    return machine.regs[0] == 0 && (sends || unblocks) && follows(machine.pc, "\x01\x00\x00\xd4", 4);
#else
    (void)signal;
    (void)context;
    return true;
#endif
}

/// The address of the instruction that a signal has interrupted; 0 if it is not known.
uintptr_t code_of(const void *context) {
#if defined(__x86_64__)
    return static_cast<uintptr_t>(static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<const ucontext_t *>(context)->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

void handle(int signal, siginfo_t *info, void *context) {
    const int number = errno;
    foreign_thread *thread = &foreign_this_thread;
    // The thread's own doing, and not a signal that another process or thread sent.
    const bool is_crash = info->si_code > 0 ||
                          (info->si_code == SI_TKILL && info->si_pid == getpid() && is_own(signal, context));
    foreign_frame *frame = thread->top;
    if (is_crash && frame != nullptr && frame->is_armed) {
        frame->is_armed = 0;
        frame->signal = signal;
        frame->address = info->si_addr;
        // Raised signals have no address, nor has SI_KERNEL.
        frame->has_address = info->si_code > 0 && info->si_code != SI_KERNEL;
        siglongjmp(frame->point, 1);
    }
    if (is_crash && !thread->is_passing && (thread->callee != nullptr || ends_process(signal)) &&
        __atomic_exchange_n(&has_reported, 1, __ATOMIC_RELAXED) == 0) {
        if (thread->callee != nullptr) {
            foreign_report_crash(thread->callee, frame != nullptr, signal, info);
        } else {
            foreign_report_other_crash(signal, info, code_of(context));
        }
    }
    pass_on(signal, info, context);
    errno = number;
}

bool is_ours(const struct sigaction &action) {
    return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle;
}

/// In the child of a fork: a call that the thread is in belongs to the parent.
void mark_child() {
    is_child = true;
    if (foreign_this_thread.callee != nullptr) {
        foreign_this_thread.callee = nullptr;
    }
}

void end_process(int status, void *) {
    const foreign_callee *callee = foreign_this_thread.callee;
    if (callee == nullptr) {
        return;
    }
    foreign_report_exit(callee, status);
    // The plugin may have printed its reason, so buffered text is written first.
    fflush(nullptr);
    // The other exit handlers must not run in the middle of a run.
    _exit(2);
}

/// Runs `body` until it crashes; true when it did not.
template <typename Body> bool survives(Body body) {
    foreign_thread *thread = &foreign_this_thread;
    foreign_frame frame;
    frame.outer = thread->top;
    frame.is_armed = 0;
    if (sigsetjmp(frame.point, 0) != 0) {
        foreign_this_thread.top = frame.outer;
        return false;
    }
    thread->top = &frame;
    frame.is_armed = 1;
    body();
    frame.is_armed = 0;
    thread->top = frame.outer;
    return true;
}

} // namespace

uint32_t foreign_guard_install(uintptr_t *handlers) {
    uint32_t found = 0;
    for (size_t index = 0; index < FOREIGN_GUARDED_SIGNALS; index++) {
        handlers[index] = 0;
        struct sigaction current = {};
        if (sigaction(signals[index], nullptr, &current) != 0 || is_ours(current)) {
            continue;
        }
        if (is_installed) {
            may_repair[index] = true;
            found |= 1U << index;
            handlers[index] = (current.sa_flags & SA_SIGINFO) != 0
                                  ? reinterpret_cast<uintptr_t>(current.sa_sigaction)
                                  : reinterpret_cast<uintptr_t>(current.sa_handler);
        }
        before[index] = current;
        struct sigaction action = {};
        action.sa_sigaction = handle;
        // The handler runs on its own stack, because the thread's may have overflowed. The signal is not
        // blocked, because the handler of a guarded call does not return.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        sigaction(signals[index], &action, nullptr);
    }
    // The thread may have inherited a mask from the program that started the process.
    foreign_unblock_crashes();
    if (!is_installed) {
        is_installed = true;
        pthread_atfork(nullptr, nullptr, mark_child);
        on_exit(end_process, nullptr);
    }
    return found;
}

const char *foreign_guarded_signal(size_t index) {
    return index < FOREIGN_GUARDED_SIGNALS ? signal_names[index] : "a signal";
}

const char *foreign_signal_name(int signal) { return foreign_guarded_signal(index_of(signal)); }

void *foreign_guard_suspend(void) {
    foreign_frame *frame = foreign_this_thread.top;
    if (frame == nullptr || !frame->is_armed) {
        return nullptr;
    }
    frame->is_armed = 0;
    return frame;
}

void foreign_guard_resume(void *suspended) {
    if (suspended != nullptr) {
        static_cast<foreign_frame *>(suspended)->is_armed = 1;
    }
}

void foreign_describe_crash(const foreign_frame &frame, char *message, size_t size) {
    const char *name = foreign_signal_name(frame.signal);
    if (size == 0) {
        return;
    }
    if (frame.has_address) {
        snprintf(message, size, "%s at address 0x%zx", name, reinterpret_cast<size_t>(frame.address));
    } else {
        snprintf(message, size, "%s", name);
    }
}

void foreign_unblock_crashes() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals) {
        sigaddset(&set, signal);
    }
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void foreign_first_return(const foreign_callee *callee) {
    // Two threads may store the same value at once.
    __atomic_store_n(&const_cast<foreign_callee *>(callee)->has_returned, true, __ATOMIC_RELAXED);
    foreign_unblock_crashes();
}

void foreign_leave_crashed(foreign_frame &frame, const foreign_callee *callee, const foreign_callee *outer) {
    foreign_thread *thread = &foreign_this_thread;
    __atomic_store_n(callee->quarantined, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&thread->callee, outer, __ATOMIC_RELAXED);
    thread->top = frame.outer;
    foreign_unblock_crashes();
}

bool foreign_is_readable(const void *address, size_t size) {
    constexpr size_t page = 4096;
    const auto *bytes = static_cast<const volatile char *>(address);
    return size == 0 || survives([=] {
               for (size_t offset = 0; offset < size; offset += page) {
                   read_byte = bytes[offset];
               }
               read_byte = bytes[size - 1];
           });
}

bool foreign_is_writable(void *address, size_t size) {
    constexpr size_t page = 4096;
    auto *bytes = static_cast<volatile char *>(address);
    return size == 0 || survives([=] {
               for (size_t offset = 0; offset < size; offset += page) {
                   bytes[offset] = bytes[offset];
               }
               bytes[size - 1] = bytes[size - 1];
           });
}

int64_t foreign_text_size(const char *text) {
    // Volatile, because a crash does not preserve registers.
    volatile int64_t size = -1;
    return survives([&] { size = static_cast<int64_t>(strlen(text)); }) ? size : -1;
}
