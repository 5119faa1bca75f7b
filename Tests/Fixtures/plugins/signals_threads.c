// Sends a signal to a thread of the host that is in a call, which is another plugin's.
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <spinhost/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

SPIN_PLUGIN("signals", "1.0");

static const char *const victim = "victim";

static void *hunt(void *context) {
    (void)context;
    for (;;) {
        DIR *tasks = opendir("/proc/self/task");
        for (struct dirent *task; tasks && (task = readdir(tasks));) {
            char path[300], name[32] = "";
            snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
            FILE *file = fopen(path, "r");
            if (!file)
                continue;
            char *found = fgets(name, sizeof name, file);
            fclose(file);
            if (found && strncmp(name, victim, strlen(victim)) == 0) {
                syscall(SYS_tgkill, getpid(), atoi(task->d_name), SIGABRT);
                return NULL;
            }
        }
        closedir(tasks);
    }
}

static int64_t send_later(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, hunt, NULL);
}
SPIN_EFFECT(int64_t, send_later, (void), "");

// Waits in the system.
static int64_t wait_for_ever(void) {
    pthread_setname_np(pthread_self(), victim);
    for (;;)
        pause();
}
SPIN_EFFECT(int64_t, wait_for_ever, (void), "");

// Waits without it.
static volatile uint64_t rounds;
static int64_t spin_for_ever(void) {
    pthread_setname_np(pthread_self(), victim);
    for (;;)
        rounds++;
}
SPIN_EFFECT(int64_t, spin_for_ever, (void), "");
