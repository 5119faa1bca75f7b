#include "process.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// The time that a process group has to end after SIGTERM, in milliseconds.
enum { grace = 2000 };

// The running programs, and the number of programs that are about to start. After `is_over` none starts.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_started = PTHREAD_COND_INITIALIZER;
static struct process *first;
static int starting, is_over;

static int spawn(pid_t *id, int pipes[][2], char *const arguments[]) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    posix_spawnattr_t attributes;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    error = pipes[STDIN_FILENO][0] >= 0
                ? posix_spawn_file_actions_adddup2(&actions, pipes[STDIN_FILENO][0], STDIN_FILENO)
                : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, pipes[STDOUT_FILENO][1], STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, pipes[STDERR_FILENO][1], STDERR_FILENO);
    if (!error)
        error = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error)
        error = posix_spawnp(id, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void send(const struct process *process, int number) { kill(-process->id, number); }

static siginfo_t reap(const struct process *process) {
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)process->id, &info, WEXITED) < 0 && errno == EINTR)
        ;
    return info;
}

static int start(struct process *process, char *const arguments[], int has_input) {
    int pipes[][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int error = 0;
    for (int i = has_input ? STDIN_FILENO : STDOUT_FILENO; i <= STDERR_FILENO && !error; i++)
        error = pipe2(pipes[i], O_CLOEXEC) ? errno : 0;
    if (!error)
        error = spawn(&process->id, pipes, arguments);
    if (!error && (process->ended = pidfd_open(process->id, 0)) < 0) {
        error = errno;
        send(process, SIGKILL);
        reap(process);
    }
    process->input = pipes[STDIN_FILENO][1];
    process->output = pipes[STDOUT_FILENO][0];
    process->errors = pipes[STDERR_FILENO][0];
    if (process->input >= 0)
        fcntl(process->input, F_SETFL, O_NONBLOCK);
    process_close_one(&pipes[STDIN_FILENO][0]);
    process_close_one(&pipes[STDOUT_FILENO][1]);
    process_close_one(&pipes[STDERR_FILENO][1]);
    if (error) {
        process->id = 0;
        process_close(process);
    }
    return error;
}

int process_start(struct process *process, char *const arguments[], int has_input) {
    *process = (struct process){.ended = -1, .input = -1, .output = -1, .errors = -1};
    pthread_mutex_lock(&turn);
    starting++;
    int error = is_over ? ECANCELED : 0;
    pthread_mutex_unlock(&turn);
    if (!error)
        error = start(process, arguments, has_input);
    pthread_mutex_lock(&turn);
    if (!error) {
        process->next = first;
        process->previous = &first;
        if (first)
            first->previous = &process->next;
        first = process;
    }
    if (--starting == 0)
        pthread_cond_broadcast(&has_started);
    pthread_mutex_unlock(&turn);
    return error;
}

ssize_t process_write(const struct process *process, const char *data, size_t size) {
    sigset_t broken, before;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    ssize_t count = write(process->input, data, size);
    int error = errno;
    if (count < 0 && error == EPIPE)
        sigtimedwait(&broken, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return count;
}

void process_reap(struct process *process, int32_t *code, int32_t *signal) {
    // Before it is reaped: then another process may have the number.
    pthread_mutex_lock(&turn);
    *process->previous = process->next;
    if (process->next)
        process->next->previous = process->previous;
    pthread_mutex_unlock(&turn);
    siginfo_t info = reap(process);
    process->id = 0;
    int has_exited = info.si_code == CLD_EXITED;
    *code = has_exited ? info.si_status : -1;
    *signal = has_exited ? 0 : info.si_status;
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void terminate(const struct process *process) {
    send(process, SIGTERM);
    // A stopped group cannot handle SIGTERM.
    send(process, SIGCONT);
}

// Waits until a process has ended and, if it `drops` them, its outputs have. At most until a deadline.
static void await(struct process *process, int64_t deadline, int drops) {
    int64_t left;
    int none = -1, *outputs[] = {drops ? &process->output : &none, drops ? &process->errors : &none};
    for (int has_ended = 0; !has_ended || *outputs[0] >= 0 || *outputs[1] >= 0;) {
        // Poll skips descriptors that are negative.
        struct pollfd waits[] = {
            {*outputs[0], POLLIN, 0}, {*outputs[1], POLLIN, 0}, {has_ended ? -1 : process->ended, POLLIN, 0}};
        if ((left = deadline - milliseconds()) <= 0)
            return;
        if (poll(waits, 3, (int)left) < 0)
            continue;
        char dropped[4096];
        for (int i = 0; i < 2; i++)
            if (waits[i].revents && read(*outputs[i], dropped, sizeof dropped) <= 0)
                process_close_one(outputs[i]);
        has_ended |= waits[2].revents != 0;
    }
}

void process_end(struct process *process) {
    process_close_one(&process->input);
    terminate(process);
    await(process, milliseconds() + grace, 1);
    send(process, SIGKILL);
}

// Runs when the host's process ends, or the library is unmapped. The host's threads may still run.
__attribute__((destructor)) static void end_all(void) {
    struct timespec latest;
    clock_gettime(CLOCK_REALTIME, &latest);
    latest.tv_sec += grace / 1000;
    int64_t deadline = milliseconds() + grace;
    pthread_mutex_lock(&turn);
    is_over = 1;
    while (starting > 0 && pthread_cond_timedwait(&has_started, &turn, &latest) == 0)
        ;
    for (struct process *process = first; process; process = process->next)
        terminate(process);
    for (struct process *process = first; process; process = process->next)
        await(process, deadline, 0);
    for (struct process *process = first; process; process = process->next)
        send(process, SIGKILL);
    pthread_mutex_unlock(&turn);
}

void process_close(struct process *process) {
    process_close_one(&process->ended);
    process_close_one(&process->input);
    process_close_one(&process->output);
    process_close_one(&process->errors);
}

void process_close_one(int *descriptor) {
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}
