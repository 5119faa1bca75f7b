#include "attempt.h"

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>

extern char **environ;

// A system call by its number, with this first argument: `NUMBER:ARGUMENT`.
void call_number(const char *text) {
    const long number = strtol(text, NULL, 10);
    const char *argument = strchr(text, ':');
    const long first = argument == NULL ? 0 : strtol(argument + 1, NULL, 0);
    tell("call", syscall(number, first, 0, 0, 0, 0, 0));
}

void call_of_32_bits(const char *unused) {
    (void)unused;
#ifdef __x86_64__
    long result = 20; // getpid
    __asm__ volatile("int $0x80" : "+a"(result)::"memory");
    dprintf(1, "allowed\n");
#endif
}

void signal_others(const char *unused) {
    (void)unused;
    const pid_t parent = getppid();
    const union sigval value = {0};
    siginfo_t info = {.si_code = SI_QUEUE};
    TRY(kill(parent, 0));
    TRY(kill(parent, SIGTERM));
    TRY(kill(0, 0));
    TRY(kill(-1, 0));
    TRY(kill(-parent, 0));
    TRY(syscall(SYS_tgkill, parent, parent, SIGTERM));
    TRY(syscall(SYS_tkill, parent, SIGTERM));
    TRY(sigqueue(parent, SIGTERM, value));
    TRY(syscall(SYS_rt_tgsigqueueinfo, parent, parent, SIGTERM, &info));
    const int opened = (int)TRY(syscall(SYS_pidfd_open, parent, 0));
    TRY(syscall(SYS_pidfd_send_signal, opened, SIGTERM, NULL, 0));
    int ends[2];
    TRY(pipe(ends));
    TRY(fcntl(ends[0], F_SETOWN, parent));
    TRY(fcntl(ends[0], F_SETSIG, SIGTERM));
    TRY(kill(getpid(), 0));
    TRY(raise(0));
}

void change_others(const char *unused) {
    (void)unused;
    const pid_t parent = getppid();
    struct rlimit limit = {0, 0};
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    const struct sched_param priority = {0};
    TRY(prlimit(parent, RLIMIT_CPU, &limit, NULL));
    TRY(sched_setaffinity(parent, sizeof set, &set));
    TRY(sched_setscheduler(parent, SCHED_BATCH, &priority));
    TRY(setpriority(PRIO_PROCESS, (id_t)parent, 10));
    TRY(setpriority(PRIO_USER, getuid(), 10));
    TRY(setpgid(0, getpgid(parent)));
    TRY(setsid());
    TRY(prctl(PR_SET_PDEATHSIG, 0));
    TRY(prctl(PR_SET_DUMPABLE, 0));
    TRY(prctl(PR_SET_SECCOMP, 1));
    TRY(setuid(1));
    TRY(prctl(PR_SET_NAME, "own"));
    TRY(sched_setaffinity(0, sizeof set, &set));
    TRY(setpriority(PRIO_PROCESS, 0, 1));
}

void raise_limits(const char *unused) {
    (void)unused;
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, many = {4096, 4096};
    TRY(setrlimit(RLIMIT_AS, &all));
    TRY(setrlimit(RLIMIT_NOFILE, &many));
    TRY(setrlimit(RLIMIT_CORE, &all));
}

// As much as that many bytes, twice.
void take_memory(const char *size) {
    const size_t bytes = strtoul(size, NULL, 10);
    tell("half", malloc(bytes / 2) == NULL ? -1 : 0);
    tell("all", malloc(bytes) == NULL ? -1 : 0);
    tell("map", mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
}

void start_program(const char *path) {
    char *const arguments[] = {(char *)path, NULL};
    tell("execve", execve(path, arguments, environ));
}

void start_program_by_descriptor(const char *path) {
    char *const arguments[] = {(char *)path, NULL};
    const int program = open(path, O_RDONLY | O_CLOEXEC);
    tell("open", program);
    tell("execveat", syscall(SYS_execveat, program, "", arguments, environ, AT_EMPTY_PATH));
    tell("fexecve", fexecve(program, arguments, environ));
}

// A copy of a program in memory.
void start_program_in_memory(const char *path) {
    char *const arguments[] = {(char *)path, NULL};
    char link[64], bytes[4096];
    const int program = open(path, O_RDONLY | O_CLOEXEC);
    for (unsigned flags = 1; flags < 16; flags = flags == 1 ? 9 : 17) {
        const int memory = (int)syscall(SYS_memfd_create, "program", flags);
        if (tell("memfd_create", memory) < 0) {
            continue;
        }
        lseek(program, 0, SEEK_SET);
        for (ssize_t count; (count = read(program, bytes, sizeof bytes)) > 0;) {
            write(memory, bytes, (size_t)count);
        }
        snprintf(link, sizeof link, "/proc/self/fd/%d", memory);
        tell("execve", execve(link, arguments, environ));
        tell("execveat", syscall(SYS_execveat, memory, "", arguments, environ, AT_EMPTY_PATH));
    }
}

// A copy of a program in a folder: `PROGRAM:COPY`
void start_copy(const char *paths) {
    char copy[4096], bytes[4096];
    strcpy(copy, paths);
    char *target = strchr(copy, ':');
    *target++ = 0;
    const int program = open(copy, O_RDONLY | O_CLOEXEC);
    tell("open", program);
    const int made = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    tell("make", made);
    for (ssize_t count; (count = read(program, bytes, sizeof bytes)) > 0;) {
        write(made, bytes, (size_t)count);
    }
    close(made);
    start_program(target);
}

void start_children(const char *program) {
    char *const arguments[] = {(char *)program, NULL};
    pid_t child = 0;
    const int error = posix_spawn(&child, program, NULL, NULL, arguments, environ);
    errno = error;
    tell("posix_spawn", error == 0 ? 0 : -1);
    // No child must go on here if one starts.
#define CHILD(call)                                                                                          \
    do {                                                                                                     \
        const long result = call;                                                                            \
        if (result == 0)                                                                                     \
            _exit(0);                                                                                        \
        tell(#call, result);                                                                                 \
    } while (0)
    CHILD(fork());
    CHILD(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    CHILD(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    CHILD(syscall(SYS_clone3, 0, 0));
#ifdef SYS_vfork
    CHILD(syscall(SYS_fork));
#endif
}

// A program in a child, to its end.
void run_program(const char *program) {
    char *const arguments[] = {(char *)program, NULL};
    pid_t child = 0;
    const int error = posix_spawn(&child, program, NULL, NULL, arguments, environ);
    errno = error;
    int status = -1;
    if (tell("posix_spawn", error == 0 ? 0 : -1) == 0)
        tell("waitpid", waitpid(child, &status, 0));
    dprintf(1, "status: %d\n", status);
}

// Children that wait for a signal; all are ended when as many as possible are there.
void start_many(const char *count) {
    pid_t children[64];
    int started = 0;
    for (int index = 0; index < atoi(count); index++) {
        const pid_t child = fork();
        if (child == 0) {
            for (;;)
                pause();
        }
        if (tell("fork", child) >= 0)
            children[started++] = child;
    }
    for (int index = 0; index < started; index++) {
        kill(children[index], SIGKILL);
        waitpid(children[index], NULL, 0);
    }
    const pid_t again = fork();
    if (again == 0)
        _exit(0);
    tell("again", again);
    waitpid(again, NULL, 0);
}

static void *wait_for_a_signal(void *unused) {
    for (;;)
        pause();
    return unused;
}

// Children whose first thread has ended, so that they look like processes that are over, while another one runs.
void start_half_ended(const char *count) {
    pid_t children[64];
    int started = 0;
    for (int index = 0; index < atoi(count); index++) {
        int ready[2];
        if (pipe(ready) != 0)
            return;
        const pid_t child = fork();
        if (child == 0) {
            pthread_t thread;
            pthread_create(&thread, NULL, wait_for_a_signal, NULL);
            close(ready[0]);
            if (write(ready[1], "", 1) != 1)
                _exit(1);
            syscall(SYS_exit, 0);
        }
        close(ready[1]);
        if (tell("fork", child) >= 0) {
            char byte;
            if (read(ready[0], &byte, 1) == 1)
                children[started++] = child;
        }
        close(ready[0]);
    }
    for (int index = 0; index < started; index++) {
        kill(children[index], SIGKILL);
        waitpid(children[index], NULL, 0);
    }
}

static void *start_from_thread(void *unused) {
    (void)unused;
    const pid_t child = fork();
    if (child == 0) {
        for (;;)
            pause();
    }
    return (void *)(long)(child < 0 ? errno : 0);
}

// Eight threads, each of which starts a child at once; the count of those that came about.
void start_from_threads(const char *unused) {
    (void)unused;
    pthread_t threads[8];
    int started = 0;
    for (int index = 0; index < 8; index++)
        pthread_create(&threads[index], NULL, start_from_thread, NULL);
    for (int index = 0; index < 8; index++) {
        void *error = NULL;
        pthread_join(threads[index], &error);
        started += error == NULL;
    }
    dprintf(1, "%d\n", started);
}

void type_into_terminal(const char *unused) {
    (void)unused;
    TRY(ioctl(0, TIOCSTI, "x"));
    TRY(ioctl(0, TIOCSTI | 0x100000000, "x"));
    TRY(ioctl(0, TIOCSCTTY, 0));
    TRY(ioctl(0, FIONBIO, &(int){0}));
}

void catch_signal(const char *unused) {
    (void)unused;
    TRY(sigaction(SIGSYS, &(struct sigaction){.sa_handler = SIG_IGN}, NULL));
    TRY(sigaction(SIGSYS, NULL, &(struct sigaction){0}));
    TRY(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = SIG_IGN}, NULL));
}

// Tells the host through descriptor 1 that it is there, then waits for its end.
void wait_for_end(const char *unused) {
    (void)unused;
    dprintf(1, "waits\n");
    for (;;)
        pause();
}
