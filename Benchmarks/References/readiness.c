#include "references.h"

#include <pthread.h>
#include <string.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct driver {
    int asked, answered;
};

static void *drive(void *context) {
    struct driver *driver = context;
    eventfd_t times = 0;
    /* The last answer is a great number. */
    while (eventfd_read(driver->answered, &times) == 0 && times == 1)
        eventfd_write(driver->asked, 1);
    return NULL;
}

int64_t reference_readiness(int64_t turns) {
    struct driver driver = {eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), eventfd(0, EFD_CLOEXEC)};
    int poll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 1};
    epoll_ctl(poll, EPOLL_CTL_ADD, driver.asked, &event);
    pthread_t thread;
    if (pthread_create(&thread, NULL, drive, &driver))
        return -1;
    int64_t number = 0;
    while (number < turns) {
        eventfd_write(driver.answered, 1);
        eventfd_t times;
        if (epoll_wait(poll, &event, 1, -1) == 1 && eventfd_read(driver.asked, &times) == 0)
            number++;
    }
    eventfd_write(driver.answered, 1000);
    pthread_join(thread, NULL);
    close(poll);
    close(driver.asked);
    close(driver.answered);
    return number;
}

int64_t reference_copies(int64_t count, int64_t size) {
    char *source = malloc((size_t)size), *target = malloc((size_t)size);
    int64_t sum = 0;
    if (source && target) {
        memset(source, 1, (size_t)size);
        for (int64_t i = 0; i < count; i++) {
            source[i % size] = (char)i;
            memcpy(target, source, (size_t)size);
            sum += target[i % size] == (char)i;
        }
    }
    free(source);
    free(target);
    return sum;
}
