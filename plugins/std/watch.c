// All watches share one inotify descriptor, because a user may have few (fs.inotify.max_user_instances) and
// closing one is slow. The call of one watch polls it. When that call ends, the call of another watch does.
#include "watch.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
    in_folders = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_MOVE_SELF | IN_ONLYDIR,
    in_files = IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF,
};

// The lock guards what follows, and the watches.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static struct watch *watches;
static int notices = -1, is_polled;

// Signals the watches that the event is for. When the kernel has lost events, that is each watch.
static void notify(const struct inotify_event *event) {
    for (struct watch *watch = watches; watch; watch = watch->next) {
        int is_for_it = (event->mask & IN_Q_OVERFLOW) != 0;
        for (int i = 0; i < watch_size; i++)
            is_for_it |= watch->numbers[i] == event->wd;
        if (event->wd == watch->numbers[watch_folder] && event->mask & (IN_IGNORED | IN_MOVE_SELF))
            watch->is_over = 1;
        if (is_for_it)
            eventfd_write(watch->descriptor, 1);
    }
}

static void take_notices(void *context, uint64_t ready) {
    (void)context, (void)ready;
    _Alignas(struct inotify_event) char events[sizeof(struct inotify_event) * 16 + NAME_MAX + 1];
    ssize_t size;
    pthread_mutex_lock(&turn);
    while ((size = read(notices, events, sizeof events)) > 0)
        for (ssize_t place = 0; place < size;) {
            struct inotify_event event;
            memcpy(&event, events + place, sizeof event);
            notify(&event);
            place += (ssize_t)(sizeof event + event.len);
        }
    pthread_mutex_unlock(&turn);
}

static void hand_over(void *context);

// Has a call poll the descriptor, unless one does. Closes it when there is no watch.
static void update_poll(void) {
    for (struct watch *watch = watches; watch && !is_polled; watch = watch->next)
        is_polled = !spin_cancelled(watch->call) && !spin_poll_start(watch->call, notices, SPIN_POLL_READ,
                                                                     take_notices, NULL, hand_over, NULL);
    if (watches || is_polled || notices < 0)
        return;
    close(notices);
    notices = -1;
}

// The poll's call has ended.
static void hand_over(void *context) {
    (void)context;
    pthread_mutex_lock(&turn);
    is_polled = 0;
    update_poll();
    pthread_mutex_unlock(&turn);
}

// Has inotify watch an open file or folder: its number, or -1 with an errno. To open one may be slow, so the
// caller has done it without the lock.
static int add(int descriptor, uint32_t events) {
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    return inotify_add_watch(notices, name, events);
}

// Replaces a number. Inotify forgets a number that no watch has any more.
static void put(struct watch *watch, int place, int number) {
    int before = watch->numbers[place], is_used = before == 0;
    watch->numbers[place] = number;
    for (struct watch *other = watches; other && !is_used; other = other->next)
        for (int i = 0; i < watch_size; i++)
            is_used |= other->numbers[i] == before;
    if (!is_used)
        inotify_rm_watch(notices, before);
}

static int find(const struct watch *watch, int number) {
    int place = watch_files;
    while (place < watch_size && watch->numbers[place] != number)
        place++;
    return place;
}

// Opens the folder of a path, whose text is changed.
static int open_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash)
        path = ".";
    else
        slash[slash == path] = 0;
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int watch_open(struct watch *watch, spin_call *call, const char *path) {
    char *copy = strdup(path);
    int folder = copy ? open_folder(copy) : -1;
    int error = folder < 0 ? errno : 0;
    free(copy);
    if (error)
        return error;
    *watch = (struct watch){.call = call, .descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    pthread_mutex_lock(&turn);
    if (notices < 0)
        notices = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    int number = watch->descriptor < 0 || notices < 0 ? -1 : add(folder, in_folders);
    error = number < 0 ? errno : 0;
    if (!error) {
        watch->numbers[watch_folder] = number;
        watch->next = watches;
        watches = watch;
    }
    update_poll();
    pthread_mutex_unlock(&turn);
    close(folder);
    if (error && watch->descriptor >= 0)
        close(watch->descriptor);
    if (error)
        watch->descriptor = -1;
    return error;
}

int watch_file(struct watch *watch, const char *path, int file) {
    char *target = realpath(path, NULL);
    int folder = target ? open_folder(target) : -1;
    free(target);
    pthread_mutex_lock(&turn);
    int number = add(file, in_files);
    int error = errno;
    if (number >= 0)
        put(watch, find(watch, 0), number);
    int other = folder < 0 ? -1 : add(folder, in_folders);
    put(watch, watch_target, other < 0 || other == watch->numbers[watch_folder] ? 0 : other);
    pthread_mutex_unlock(&turn);
    if (folder >= 0)
        close(folder);
    errno = error;
    return number;
}

void watch_forget(struct watch *watch, int number) {
    pthread_mutex_lock(&turn);
    put(watch, find(watch, number), 0);
    pthread_mutex_unlock(&turn);
}

int watch_take(struct watch *watch) {
    eventfd_t times = 0;
    eventfd_read(watch->descriptor, &times);
    pthread_mutex_lock(&turn);
    int is_over = watch->is_over;
    pthread_mutex_unlock(&turn);
    return !is_over;
}

void watch_close(struct watch *watch) {
    pthread_mutex_lock(&turn);
    for (int i = 0; i < watch_size; i++)
        put(watch, i, 0);
    struct watch **place = &watches;
    while (*place != watch)
        place = &(*place)->next;
    *place = watch->next;
    update_poll();
    pthread_mutex_unlock(&turn);
    close(watch->descriptor);
    watch->descriptor = -1;
}
