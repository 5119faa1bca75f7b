// Ends or forks the process, as only the host may.
#include <pthread.h>
#include <signal.h>
#include <spinhost/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

SPIN_PLUGIN("ends", "2.0");

static int64_t fine(int64_t n) { return n; }
SPIN_EFFECT(int64_t, fine, (int64_t n), "");

static int64_t *volatile null;
static int64_t crash(void) { return *null; }
SPIN_EFFECT(int64_t, crash, (void), "");

static void *crash_alone(void *ignored) {
    (void)ignored;
    return (void *)(intptr_t)*null;
}

/// A thread of the plugin crashes while the call waits for it.
static int64_t crash_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash_alone, NULL);
    pthread_join(thread, NULL);
    return 1;
}
SPIN_EFFECT(int64_t, crash_thread, (void), "");

static int64_t give_up(void) { abort(); }
SPIN_EFFECT(int64_t, give_up, (void), "");

static int64_t leave(int32_t status) {
    printf("the licence has expired\n");
    exit(status);
}
SPIN_EFFECT(int64_t, leave, (int32_t status), "");

static int64_t end_thread(void) { pthread_exit(NULL); }
SPIN_EFFECT(int64_t, end_thread, (void), "");

// The child returns from the call; the parent reports how the child ended.
static int64_t fork_and_return(void) {
    const pid_t child = fork();
    if (child == 0)
        return -1;
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}
SPIN_EFFECT(int64_t, fork_and_return, (void), "");

// The right way: the child calls `_exit`.
static int64_t fork_and_exit(void) {
    const pid_t child = fork();
    if (child == 0)
        _exit(7);
    int status = -1;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
SPIN_EFFECT(int64_t, fork_and_exit, (void), "");

static int64_t fork_and_crash(void) {
    const pid_t child = fork();
    if (child == 0)
        _exit((int)*null);
    int status = -1;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status);
}
SPIN_EFFECT(int64_t, fork_and_crash, (void), "");

static void ignore(int signal) {
    (void)signal;
    _exit(99);
}
static int64_t change_handlers(void) {
    struct sigaction action = {.sa_handler = ignore};
    return sigaction(SIGSEGV, &action, NULL);
}
SPIN_EFFECT(int64_t, change_handlers, (void), "");
