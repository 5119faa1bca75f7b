#include "signals.h"
#include "signal_trap.h"
#include "worker.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

struct signal_call {
    struct worker worker;
    int number;
    int place;
    int arrived;
};

static void run(struct worker *worker) {
    struct signal_call *signal = (struct signal_call *)worker;
    int64_t count = 0;
    while (worker_wait(worker, signal->arrived, POLLIN)) {
        eventfd_t arrived = 0;
        if (eventfd_read(signal->arrived, &arrived) != 0)
            continue;
        count += (int64_t)arrived;
        if (!worker_goes_on(worker, spin_wait_signalled(worker->call, count, SPIN_FOREVER)))
            break;
    }
}

static void release(struct worker *worker) {
    struct signal_call *signal = (struct signal_call *)worker;
    if (signal->place >= 0)
        signal_ignore(signal->number, signal->place);
    if (signal->arrived >= 0)
        close(signal->arrived);
    free(signal);
}

static void start(spin_call *call, int number) {
    struct signal_call *signal = calloc(1, sizeof *signal);
    if (signal) {
        signal->worker = (struct worker){.run = run, .release = release, .name = "std-signal"};
        signal->number = number;
        signal->arrived = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        // Before this function returns: from then on the signal must not have its default action.
        signal->place = signal->arrived < 0 ? -1 : signal_listen(number, signal->arrived);
        if (signal->place < 0) {
            spin_fail(call, SPIN_FAILED, "there are too many calls that wait for signals");
            release(&signal->worker);
            return;
        }
    }
    worker_start(call, (struct worker *)signal);
}

void signal_start(spin_call *call, const char *name) {
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
