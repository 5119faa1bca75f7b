// `signal`: signals to the process.
#include "std.h"
// The C library has a function of that name, too.
#define signal c_signal
#include <signal.h>
#undef signal
#include "task.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

SPIN_EMITTER(signalled, (int64_t, count));

static const struct {
    const char *name;
    int number;
    /* The reason why apps cannot have it; NULL: they can. */
    const char *refusal;
} signals[] = {
    {"HUP", SIGHUP, NULL},
    {"QUIT", SIGQUIT, NULL},
    {"USR1", SIGUSR1, NULL},
    {"USR2", SIGUSR2, NULL},
    {"ALRM", SIGALRM, NULL},
    {"CONT", SIGCONT, NULL},
    {"TSTP", SIGTSTP, NULL},
    {"WINCH", SIGWINCH, NULL},
    {"URG", SIGURG, NULL},
    {"IO", SIGIO, NULL},
    {"INT", SIGINT, "it stops the app"},
    {"TERM", SIGTERM, "it stops the app"},
    {"KILL", SIGKILL, "no process can catch it"},
    {"STOP", SIGSTOP, "no process can catch it"},
    {"PIPE", SIGPIPE, "the host writes to pipes"},
    {"CHLD", SIGCHLD, "`exec` reports the end of a program"},
};

// The listeners of all signals. The handler may run at any time on any thread, so it reads nothing else.
enum { listeners_at_most = 64 };
static struct {
    /* The signal; 0 for a free place, -1 for one that is not free yet. */
    atomic_int number;
    atomic_int descriptor;
} listeners[listeners_at_most];
static atomic_int handling;

// The number of listeners of a signal, and the action that it had before the first one.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int users[NSIG];
static struct sigaction before[NSIG];

static void handle(int number) {
    int error = errno;
    atomic_fetch_add(&handling, 1);
    for (int i = 0; i < listeners_at_most; i++)
        if (atomic_load(&listeners[i].number) == number)
            eventfd_write(atomic_load(&listeners[i].descriptor), 1);
    atomic_fetch_sub(&handling, 1);
    errno = error;
}

// From now on the signal adds one to `descriptor`, an eventfd, in place of its former action. Returns the
// place of this listener, or -1 when there are too many listeners.
static int listen_to(int number, int descriptor) {
    int place = -1;
    pthread_mutex_lock(&turn);
    for (int i = 0; i < listeners_at_most && place < 0; i++)
        if (atomic_load(&listeners[i].number) == 0)
            place = i;
    if (place >= 0) {
        atomic_store(&listeners[place].descriptor, descriptor);
        atomic_store(&listeners[place].number, number);
        if (users[number]++ == 0) {
            struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART | SA_ONSTACK};
            sigfillset(&action.sa_mask);
            sigaction(number, &action, &before[number]);
        }
    }
    pthread_mutex_unlock(&turn);
    return place;
}

// Removes a listener, whose descriptor may be closed then. After the last one the former action is back.
static void ignore(int number, int place) {
    pthread_mutex_lock(&turn);
    if (--users[number] == 0)
        sigaction(number, &before[number], NULL);
    atomic_store(&listeners[place].number, -1);
    pthread_mutex_unlock(&turn);
    // A handler that has seen the listener is about to write to its descriptor. Until then no other listener may
    // have the place.
    while (atomic_load(&handling) > 0)
        sched_yield();
    atomic_store(&listeners[place].number, 0);
}

struct signal_call {
    struct task task;
    struct source source;
    int number;
    int place;
    int arrived;
    int64_t count;
};

static void step(struct task *task, struct source *ready) {
    struct signal_call *signal = (struct signal_call *)task;
    eventfd_t arrived = 0;
    if (!ready || eventfd_read(signal->arrived, &arrived) != 0)
        return;
    signal->count += (int64_t)arrived;
    if (task_continues(task, spin_wait_signalled(task->call, signal->count, 0)))
        return;
    // The descriptor keeps what the loop had no room for, and is ready again.
    signal->count -= (int64_t)arrived;
    eventfd_write(signal->arrived, arrived);
}

static void release(struct task *task) {
    struct signal_call *signal = (struct signal_call *)task;
    if (signal->place >= 0)
        ignore(signal->number, signal->place);
    if (signal->arrived >= 0)
        close(signal->arrived);
    task_free(task);
}

static void start(spin_call *call, int number) {
    struct signal_call *signal = task_make(call, sizeof *signal, step, release);
    if (!signal)
        return;
    signal->number = number;
    signal->arrived = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    // Before this function returns: from then on the signal must not have its default action.
    signal->place = signal->arrived < 0 ? -1 : listen_to(number, signal->arrived);
    if (signal->place < 0)
        task_fail(&signal->task, 0, "there are too many calls that wait for signals");
    else
        task_watch(&signal->task, &signal->source, signal->arrived, SPIN_POLL_READ);
    task_drop(&signal->task);
}

static void signal(spin_call *call, const char *name) {
    char reason[256];
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (strcmp(signals[i].name, name) != 0)
            continue;
        if (!signals[i].refusal) {
            start(call, signals[i].number);
            return;
        }
        snprintf(reason, sizeof reason, "the signal %s is not for apps: %s", name, signals[i].refusal);
        spin_fail(call, SPIN_BAD_VALUE, reason);
        return;
    }
    snprintf(
        reason, sizeof reason,
        "%.100s is not a signal that apps can have: write HUP, USR1, USR2, WINCH or another name without SIG",
        name);
    spin_fail(call, SPIN_BAD_VALUE, reason);
}
SPIN_EFFECT(void, signal, (spin_call *call, const char *name),
            "Takes over a signal to the process, such as `HUP` or `USR1`, and emits `signalled` when it comes, until "
            "it is cancelled; `count` is the number since the start.");
