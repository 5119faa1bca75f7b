#include "process.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct pipes {
    int input[2], output[2], errors[2];
};

static void close_pipes(struct pipes *pipes) {
    for (int end = 0; end < 2; end++) {
        process_close_one(&pipes->input[end]);
        process_close_one(&pipes->output[end]);
        process_close_one(&pipes->errors[end]);
    }
}

static int open_pipes(struct pipes *pipes, int has_input) {
    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(pipes->output, O_CLOEXEC) || pipe2(pipes->errors, O_CLOEXEC))
        return errno;
    return has_input && pipe2(pipes->input, O_CLOEXEC) ? errno : 0;
}

static int spawn(pid_t *id, const struct pipes *pipes, char *const arguments[]) {
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
    error = pipes->input[0] >= 0
                ? posix_spawn_file_actions_adddup2(&actions, pipes->input[0], STDIN_FILENO)
                : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, pipes->output[1], STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, pipes->errors[1], STDERR_FILENO);
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

int process_start(struct process *process, char *const arguments[], int has_input) {
    *process = (struct process){.ended = -1, .input = -1, .output = -1, .errors = -1};
    struct pipes pipes;
    int error = open_pipes(&pipes, has_input);
    if (!error)
        error = spawn(&process->id, &pipes, arguments);
    if (error) {
        close_pipes(&pipes);
        return error;
    }
    process->ended = pidfd_open(process->id, 0);
    if (process->ended < 0) {
        error = errno;
        process_signal(process, SIGKILL);
        int32_t code, signal;
        process_reap(process, &code, &signal);
        close_pipes(&pipes);
        return error;
    }
    process->input = pipes.input[1];
    process->output = pipes.output[0];
    process->errors = pipes.errors[0];
    if (process->input >= 0)
        fcntl(process->input, F_SETFL, O_NONBLOCK);
    pipes.input[1] = pipes.output[0] = pipes.errors[0] = -1;
    close_pipes(&pipes);
    return 0;
}

void process_signal(const struct process *process, int number) { kill(-process->id, number); }

void process_reap(struct process *process, int32_t *code, int32_t *signal) {
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)process->id, &info, WEXITED) < 0 && errno == EINTR)
        ;
    int has_exited = info.si_code == CLD_EXITED;
    *code = has_exited ? info.si_status : -1;
    *signal = has_exited ? 0 : info.si_status;
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
