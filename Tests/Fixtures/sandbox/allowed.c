#include "attempt.h"

#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <wchar.h>

static void *add(void *number) { return (char *)number + 1; }

// What plugins and their libraries do every day.
void work(const char *unused) {
    (void)unused;
    pthread_t thread;
    void *sum = NULL;
    errno = pthread_create(&thread, NULL, add, (void *)41);
    tell("pthread_create", errno == 0 ? 0 : -1);
    pthread_join(thread, &sum);
    dprintf(1, "%ld\n", (long)sum);
    pthread_setname_np(pthread_self(), "worker");
    const int poller = (int)TRY(epoll_create1(EPOLL_CLOEXEC));
    const int event = (int)TRY(eventfd(1, EFD_CLOEXEC));
    struct epoll_event wanted = {.events = EPOLLIN};
    TRY(epoll_ctl(poller, EPOLL_CTL_ADD, event, &wanted));
    TRY(epoll_wait(poller, &wanted, 1, -1));
    const int timer = (int)TRY(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    const struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
    TRY(timerfd_settime(timer, 0, &soon, NULL));
    unsigned long long count = 0;
    TRY(read(timer, &count, sizeof count));
    sigset_t signals;
    sigemptyset(&signals);
    TRY(signalfd(-1, &signals, SFD_CLOEXEC));
    TRY(inotify_init1(IN_CLOEXEC));
    TRY(getrandom(&count, sizeof count, 0));
    int ends[2];
    TRY(pipe2(ends, O_CLOEXEC));
    struct pollfd polled = {.fd = ends[1], .events = POLLOUT};
    TRY(poll(&polled, 1, -1));
    TRY(memfd_create("memory", MFD_CLOEXEC));
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TRY(mprotect(code, 4096, PROT_READ | PROT_EXEC));
    TRY(madvise(code, 4096, MADV_DONTNEED));
    struct timespec wait = {.tv_nsec = 1};
    TRY(nanosleep(&wait, NULL));
    timer_t posix;
    TRY(timer_create(CLOCK_MONOTONIC, NULL, &posix));
    TRY(open("/dev/null", O_RDWR));
    TRY(open("/dev/zero", O_RDONLY));
    TRY(open("/dev/urandom", O_RDONLY));
    TRY(open("/proc/self/maps", O_RDONLY));
    TRY(open("/proc/thread-self/status", O_RDONLY));
    TRY(open("/proc/cpuinfo", O_RDONLY));
    tell("sysconf", sysconf(_SC_NPROCESSORS_CONF) > 0 ? 0 : -1);
    tell("setlocale", setlocale(LC_ALL, "C.UTF-8") == NULL ? -1 : 0);
    wchar_t wide[8];
    dprintf(1, "%zu letters\n", mbstowcs(wide, "größe", 8));
    setenv("TZ", "Europe/Berlin", 1);
    tzset();
    const time_t summer = 1750000000;
    char text[64];
    strftime(text, sizeof text, "%H:%M %Z", localtime(&summer));
    dprintf(1, "%s\n", text);
}

// An unknown system call, and one that libraries have another one for.
void ask_for_unknown(const char *unused) {
    (void)unused;
    TRY(syscall(500, 0));
    TRY(syscall(100000, 0));
    TRY(syscall(SYS_clone3, 0, 0));
    TRY(syscall(SYS_remap_file_pages, 0, 0, 0, 0, 0));
}
