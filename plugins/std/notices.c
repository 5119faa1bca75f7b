#include "notices.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
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

// A watch, and the inotify number of a file or folder whose changes it receives.
struct interest {
    int number;
    struct watch *watch;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static struct watch *watches;
static struct interest *interests;
static size_t interest_count, interest_capacity;
// While the thread runs: the inotify descriptor, and the eventfd that signals the end of the last watch.
static int notices = -1, ended = -1;

// Signals the watches that the event is for.
static void notify(const struct inotify_event *event) {
    // The kernel has lost events, and each watch may be concerned.
    if (event->mask & IN_Q_OVERFLOW)
        for (struct watch *watch = watches; watch; watch = watch->next)
            eventfd_write(watch->descriptor, 1);
    for (size_t i = 0; i < interest_count; i++) {
        struct watch *watch = interests[i].watch;
        if (interests[i].number != event->wd)
            continue;
        if (event->wd == watch->folder && event->mask & (IN_IGNORED | IN_MOVE_SELF))
            atomic_store(&watch->is_over, 1);
        eventfd_write(watch->descriptor, 1);
    }
}

static void take_notices(int descriptor) {
    _Alignas(struct inotify_event) char events[sizeof(struct inotify_event) * 16 + NAME_MAX + 1];
    ssize_t size;
    while ((size = read(descriptor, events, sizeof events)) > 0) {
        pthread_mutex_lock(&turn);
        for (ssize_t place = 0; place < size;) {
            struct inotify_event event;
            memcpy(&event, events + place, sizeof event);
            notify(&event);
            place += (ssize_t)(sizeof event + event.len);
        }
        pthread_mutex_unlock(&turn);
    }
}

static void *work(void *context) {
    (void)context;
    pthread_setname_np(pthread_self(), "std-watch");
    // The starting thread holds the lock until both descriptors are set.
    pthread_mutex_lock(&turn);
    struct pollfd waits[] = {{.fd = notices, .events = POLLIN}, {.fd = ended, .events = POLLIN}};
    pthread_mutex_unlock(&turn);
    for (int continues = 1; continues;) {
        poll(waits, 2, -1);
        take_notices(waits[0].fd);
        eventfd_t times = 0;
        eventfd_read(waits[1].fd, &times);
        pthread_mutex_lock(&turn);
        continues = watches != NULL;
        if (!continues)
            notices = ended = -1;
        pthread_mutex_unlock(&turn);
    }
    close(waits[0].fd);
    close(waits[1].fd);
    return NULL;
}

// Starts the thread unless it runs; 0 or an errno.
static int start(void) {
    if (notices >= 0)
        return 0;
    pthread_t thread;
    int error = 0;
    notices = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (notices < 0 || (ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        error = errno;
    else
        error = pthread_create(&thread, NULL, work, NULL);
    if (!error) {
        pthread_detach(thread);
        return 0;
    }
    if (notices >= 0)
        close(notices);
    if (ended >= 0)
        close(ended);
    notices = ended = -1;
    return error;
}

// Whether the watch receives the changes of this number. NULL stands for any watch.
static int receives(const struct watch *watch, int number) {
    for (size_t i = 0; i < interest_count; i++)
        if (interests[i].number == number && (!watch || interests[i].watch == watch))
            return 1;
    return 0;
}

static void forget(int number) {
    if (!receives(NULL, number))
        inotify_rm_watch(notices, number);
}

static void drop(size_t place) {
    int number = interests[place].number;
    interests[place] = interests[--interest_count];
    forget(number);
}

int notices_begin(struct watch *watch) {
    pthread_mutex_lock(&turn);
    int error = start();
    if (!error) {
        watch->next = watches;
        watches = watch;
    }
    pthread_mutex_unlock(&turn);
    return error;
}

void notices_end(struct watch *watch) {
    pthread_mutex_lock(&turn);
    for (size_t i = interest_count; i-- > 0;)
        if (interests[i].watch == watch)
            drop(i);
    struct watch **place = &watches;
    while (*place != watch)
        place = &(*place)->next;
    *place = watch->next;
    if (!watches) {
        free(interests);
        interests = NULL;
        interest_count = interest_capacity = 0;
        eventfd_write(ended, 1);
    }
    pthread_mutex_unlock(&turn);
}

static int make_room(void) {
    if (interest_count < interest_capacity)
        return 1;
    size_t capacity = interest_capacity ? 2 * interest_capacity : 16;
    struct interest *grown = realloc(interests, capacity * sizeof *grown);
    if (!grown)
        return 0;
    interests = grown;
    interest_capacity = capacity;
    return 1;
}

int notices_add(struct watch *watch, int descriptor, int is_folder) {
    // The name reaches the open file, even if its path names another one by now. A slow file system does not hold the
    // lock, because the caller has opened the file already.
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    pthread_mutex_lock(&turn);
    int number = inotify_add_watch(notices, name, is_folder ? in_folders : in_files);
    int error = errno;
    if (is_folder && watch->folder < 0)
        watch->folder = number;
    if (number >= 0 && !(is_folder && receives(watch, number))) {
        if (make_room()) {
            interests[interest_count++] = (struct interest){number, watch};
        } else {
            forget(number);
            number = -1;
            error = ENOMEM;
        }
    }
    pthread_mutex_unlock(&turn);
    errno = error;
    return number;
}

void notices_drop(struct watch *watch, int number) {
    pthread_mutex_lock(&turn);
    size_t place = 0;
    while (place < interest_count && (interests[place].watch != watch || interests[place].number != number))
        place++;
    if (place < interest_count)
        drop(place);
    pthread_mutex_unlock(&turn);
}
