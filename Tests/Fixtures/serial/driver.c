#include <asm/termbits.h>
#include "driver.h"
#include "../plugin-host/host.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

int __real_ioctl(int descriptor, unsigned long request, ...);
int __wrap_ioctl(int descriptor, unsigned long request, ...);

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_there, has_settings, lines, unsent, is_sent, looks;
static unsigned rate, control;
static struct termios2 settings;
static char asked[256];

static void note(const char *text) {
    check("there is room for a note", strlen(asked) + strlen(text) < sizeof asked);
    strcat(asked, text);
    pthread_cond_broadcast(&changed);
}

/* Answers a request; -1 if the system shall. */
static int answer(unsigned long request, void *argument) {
    char text[32];
    switch (request) {
    case TCSETSW2:
        note("settings\n");
        // fall through
    case TCSETS2:
        settings = *(struct termios2 *)argument;
        settings.c_cflag |= control;
        if (rate)
            settings.c_ospeed = settings.c_ispeed = rate;
        has_settings = 1;
        return 0;
    case TCGETS2:
        if (!has_settings)
            return -1;
        *(struct termios2 *)argument = settings;
        return 0;
    case TIOCMGET:
        *(int *)argument = lines;
        return 0;
    case TIOCMSET:
        lines = *(int *)argument;
        snprintf(text, sizeof text, "lines %d\n", lines);
        note(text);
        return 0;
    case TIOCSBRK:
        note("break\n");
        return 0;
    case TIOCCBRK:
        note("end\n");
        return 0;
    case TCFLSH:
        if ((intptr_t)argument == TCOFLUSH)
            note("drop\n");
        return 0;
    case TIOCOUTQ:
        *(int *)argument = unsent;
        looks++;
        pthread_cond_broadcast(&changed);
        return 0;
    case TIOCSERGETLSR:
        if (is_sent < 0)
            return -1;
        *(unsigned *)argument = is_sent ? TIOCSER_TEMT : 0;
        return 0;
    default:
        return -1;
    }
}

int __wrap_ioctl(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    pthread_mutex_lock(&turn);
    int result = is_there ? answer(request, argument) : -1;
    pthread_mutex_unlock(&turn);
    return result == 0 ? 0 : __real_ioctl(descriptor, request, argument);
}

static void begin(int is_now) {
    pthread_mutex_lock(&turn);
    is_there = is_now;
    has_settings = lines = unsent = looks = 0;
    is_sent = 1;
    rate = control = 0;
    asked[0] = 0;
    pthread_mutex_unlock(&turn);
}

void driver_begin(void) { begin(1); }
void driver_end(void) { begin(0); }

static void set(int *place, int value) {
    pthread_mutex_lock(&turn);
    *place = value;
    looks = 0;
    pthread_mutex_unlock(&turn);
}

static void set_unsigned(unsigned *place, unsigned value) {
    pthread_mutex_lock(&turn);
    *place = value;
    pthread_mutex_unlock(&turn);
}

void driver_set_rate(unsigned value) { set_unsigned(&rate, value); }
void driver_set_control(unsigned bits) { set_unsigned(&control, bits); }

void driver_set_lines(int value) { set(&lines, value); }
void driver_set_unsent(int count) { set(&unsent, count); }
void driver_set_is_sent(int value) { set(&is_sent, value); }

void driver_await(const char *text) {
    pthread_mutex_lock(&turn);
    while (strlen(asked) < strlen(text))
        pthread_cond_wait(&changed, &turn);
    expect("the driver was asked for", asked, text);
    asked[0] = 0;
    pthread_mutex_unlock(&turn);
}

void driver_await_look(void) {
    pthread_mutex_lock(&turn);
    while (looks == 0)
        pthread_cond_wait(&changed, &turn);
    looks = 0;
    pthread_mutex_unlock(&turn);
}

unsigned driver_control(void) {
    pthread_mutex_lock(&turn);
    unsigned bits = settings.c_cflag;
    pthread_mutex_unlock(&turn);
    return bits;
}

unsigned driver_input(void) {
    pthread_mutex_lock(&turn);
    unsigned bits = settings.c_iflag;
    pthread_mutex_unlock(&turn);
    return bits;
}
