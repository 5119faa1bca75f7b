#include "../polls.h"
#include "watched.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int watched_epoll = -1;
static int wake = -1, is_closing;
static uint64_t questions, answers; /* of polls_await_idle */
static pthread_t thread;

/* The bell has rung: returns how often polls_await_idle was called until now; 0 when the thread is to end. */
static uint64_t hear_bell(void) {
    eventfd_t rings;
    eventfd_read(wake, &rings);
    pthread_mutex_lock(&watched_turn);
    uint64_t heard = is_closing ? 0 : questions;
    pthread_mutex_unlock(&watched_turn);
    return heard;
}

static void answer(uint64_t heard) {
    pthread_mutex_lock(&watched_turn);
    answers = heard;
    pthread_cond_broadcast(&watched_changed);
    pthread_mutex_unlock(&watched_turn);
}

static void *run(void *context) {
    struct epoll_event event;
    for (uint64_t heard = 0, answered = 0;;) {
        int count = epoll_wait(watched_epoll, &event, 1, heard > answered ? 0 : -1);
        if (count == 0) {
            answered = heard;
            answer(heard);
        } else if (count == 1 && event.data.u64 != 0) {
            watched_call(event.data.u64, event.events & EPOLLIN ? SPIN_POLL_READ : SPIN_POLL_HANGUP);
        } else if (count == 1 && !(heard = hear_bell())) {
            return context;
        }
    }
}

void polls_await_idle(void) {
    pthread_mutex_lock(&watched_turn);
    uint64_t question = ++questions;
    eventfd_write(wake, 1);
    while (answers < question)
        pthread_cond_wait(&watched_changed, &watched_turn);
    pthread_mutex_unlock(&watched_turn);
}

void polls_begin(void) {
    watched_epoll = epoll_create1(EPOLL_CLOEXEC);
    wake = eventfd(0, EFD_CLOEXEC);
    is_closing = 0;
    questions = answers = 0;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0};
    check("the polls begin", epoll_ctl(watched_epoll, EPOLL_CTL_ADD, wake, &event) == 0 &&
                                 pthread_create(&thread, NULL, run, NULL) == 0);
}

void polls_close(void) {
    pthread_mutex_lock(&watched_turn);
    is_closing = 1;
    pthread_mutex_unlock(&watched_turn);
    eventfd_write(wake, 1);
    pthread_join(thread, NULL);
    close(watched_epoll);
    close(wake);
}
