#include "task.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

void *task_make(spin_call *call, size_t size, void (*step)(struct task *task, struct source *ready),
                void (*release)(struct task *task)) {
    struct task *task = calloc(1, size);
    if (!task) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory for a call");
        return NULL;
    }
    task->call = call;
    task->step = step;
    task->release = release;
    pthread_mutex_init(&task->turn, NULL);
    atomic_init(&task->holders, 1);
    atomic_init(&task->has_woken, 0);
    return task;
}

void task_drop(struct task *task) {
    if (atomic_fetch_sub(&task->holders, 1) == 1)
        task->release(task);
}

void task_free(struct task *task) {
    pthread_mutex_destroy(&task->turn);
    free(task);
}

static void change(struct task *task, int are_paused) {
    for (struct source *source = task->sources; source; source = source->next)
        spin_poll_change(source->poll, are_paused ? 0 : source->events);
}

static void run(void *context);

// Has the host call `run`. Not under the lock, because a host without threads may do it at once.
static void request(struct task *task, enum task_wait wait) {
    atomic_fetch_add(&task->holders, 1);
    spin_status status =
        wait == task_waits_for_room ? spin_on_room(task->call, run, task) : spin_work(run, task);
    if (status == SPIN_OK)
        return;
    if (status == SPIN_BAD_VALUE)
        task_fail(task, 0, "one emission becomes more events than the loop's mailbox can hold");
    else if (status != SPIN_CANCELLED && status != SPIN_STOPPED)
        task_fail(task, 0, "the host has no thread for a call");
    task_drop(task);
}

static void advance(struct task *task, struct source *ready, int is_requested) {
    pthread_mutex_lock(&task->turn);
    // A poll that is paused meanwhile may have been reported before. It is reported again.
    if (is_requested || !task->waits) {
        enum task_wait before = task->waits;
        task->waits = task_waits_not;
        if (!spin_cancelled(task->call))
            task->step(task, ready);
        enum task_wait wait = task->waits;
        if (before || wait)
            change(task, wait != task_waits_not);
        pthread_mutex_unlock(&task->turn);
        if (wait)
            request(task, wait);
        return;
    }
    pthread_mutex_unlock(&task->turn);
}

static void run(void *context) {
    advance(context, NULL, 1);
    task_drop(context);
}

static void wake(void *context) {
    advance(context, NULL, 0);
    task_drop(context);
}

// A timer's function must not block, and `step` may.
static void fire(void *context, uint64_t expirations) {
    struct task *task = context;
    (void)expirations;
    atomic_store(&task->has_woken, 1);
    atomic_fetch_add(&task->holders, 1);
    if (spin_work(wake, task) == SPIN_OK)
        return;
    task_fail(task, 0, "the host has no thread for a call");
    task_drop(task);
}

static void fired(void *context) { task_drop(context); }

void task_wake_after(struct task *task, spin_duration time) {
    atomic_fetch_add(&task->holders, 1);
    spin_status status = spin_timer_start(task->call, time, 0, fire, task, fired, NULL);
    if (status == SPIN_OK)
        return;
    task_drop(task);
    if (status != SPIN_CANCELLED && status != SPIN_STOPPED)
        task_fail(task, 0, "the host has no timer for a call");
}

void task_start(struct task *task) {
    task_submit(task);
    request(task, task->waits);
    task_drop(task);
}

void task_submit(struct task *task) { task->waits = task_waits_for_thread; }

static void ready(void *context, uint64_t events) {
    (void)events;
    advance(((struct source *)context)->task, context, 0);
}

static void ended(void *context) { task_drop(((struct source *)context)->task); }

int task_watch(struct task *task, struct source *source, int descriptor, uint64_t events) {
    *source = (struct source){.task = task, .next = task->sources, .events = events};
    task->sources = source;
    atomic_fetch_add(&task->holders, 1);
    spin_status status = spin_poll_start(task->call, descriptor, events, ready, source, ended, &source->poll);
    if (status == SPIN_OK)
        return 1;
    task_drop(task);
    if (status != SPIN_CANCELLED && status != SPIN_STOPPED)
        task_fail(task, 0, "the host cannot watch a descriptor");
    return 0;
}

void task_unwatch(struct source *source) { spin_poll_cancel(source->poll); }

int can_be_watched(int descriptor) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    int is_refused = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0 && errno == EPERM;
    if (epoll >= 0)
        close(epoll);
    return !is_refused;
}

int task_continues(struct task *task, spin_status status) {
    // With SPIN_BAD_VALUE the host has reported that the manifest cannot make events of this emission.
    if (status == SPIN_OK || status == SPIN_BAD_VALUE)
        return 1;
    if (status == SPIN_FULL)
        task->waits = task_waits_for_room;
    else if (status != SPIN_CANCELLED && status != SPIN_STOPPED)
        task_fail(task, 0, "the host refused an emission");
    return 0;
}

void task_fail(struct task *task, int error, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (error && used >= 0) {
        const char *reason = strerrordesc_np(error);
        size_t place = (size_t)used < sizeof text ? (size_t)used : sizeof text - 1;
        snprintf(text + place, sizeof text - place, ": %s", reason ? reason : "unknown error");
    }
    spin_fail(task->call, SPIN_FAILED, text);
}
