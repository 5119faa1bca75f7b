#include "worker.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void wake(void *context) {
    struct worker *worker = context;
    // Last: from here on the thread may free the worker.
    eventfd_write(worker->cancelled, 1);
}

// Exactly one of two things happens: the call ends here, or the host calls `wake`. `wake` must return before
// the worker is freed.
static void end(struct worker *worker) {
    spin_status status = worker->failure[0] ? spin_fail(worker->call, SPIN_FAILED, worker->failure)
                                            : spin_finish(worker->call);
    if (status != SPIN_OK) {
        struct pollfd wait = {.fd = worker->cancelled, .events = POLLIN};
        while (poll(&wait, 1, -1) < 0 && errno == EINTR)
            ;
    }
    close(worker->cancelled);
    worker->release(worker);
}

static void *work(void *context) {
    struct worker *worker = context;
    pthread_setname_np(pthread_self(), worker->name);
    worker->run(worker);
    end(worker);
    return NULL;
}

static int start_thread(struct worker *worker) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // The thread inherits this mask: other threads handle signals.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, work, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

void worker_start(spin_call *call, struct worker *worker) {
    if (!worker) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory for a call");
        return;
    }
    worker->call = call;
    worker->failure[0] = 0;
    worker->cancelled = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (worker->cancelled < 0) {
        worker_fail(worker, errno, "cannot wait");
        spin_fail(call, SPIN_FAILED, worker->failure);
        worker->release(worker);
        return;
    }
    if (spin_on_cancel(call, wake, worker) != SPIN_OK) {
        close(worker->cancelled);
        worker->release(worker);
        return;
    }
    int error = start_thread(worker);
    if (error) {
        worker_fail(worker, error, "cannot start a thread");
        end(worker);
    }
}

void worker_fail(struct worker *worker, int error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(worker->failure, sizeof worker->failure, format, arguments);
    va_end(arguments);
    if (!error || used < 0)
        return;
    const char *reason = strerrordesc_np(error);
    size_t place = (size_t)used < sizeof worker->failure ? (size_t)used : sizeof worker->failure - 1;
    snprintf(worker->failure + place, sizeof worker->failure - place, ": %s",
             reason ? reason : "unknown error");
}

int worker_wait(const struct worker *worker, int descriptor, short events) {
    struct pollfd waits[] = {{.fd = worker->cancelled, .events = POLLIN},
                             {.fd = descriptor, .events = events}};
    for (;;) {
        int ready = poll(waits, 2, -1);
        if (ready < 0 && errno == EINTR)
            continue;
        return waits[0].revents == 0;
    }
}

int worker_goes_on(struct worker *worker, spin_status status) {
    switch (status) {
    case SPIN_OK:
    // The host has reported that the manifest cannot make events of this emission.
    case SPIN_BAD_VALUE:
        return 1;
    case SPIN_FULL:
        worker_fail(worker, 0, "one emission becomes more events than the loop's mailbox can hold");
        return 0;
    default:
        return 0;
    }
}
