// Calls of the system that the plugin makes: those for chips come to the chips of the test.
#include "kernel_state.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int __real_ioctl(int descriptor, unsigned long request, ...);
int __wrap_ioctl(int descriptor, unsigned long request, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);

static int looks;

int chip_looks(void) {
    pthread_mutex_lock(&chips_turn);
    int count = looks;
    pthread_mutex_unlock(&chips_turn);
    return count;
}

// The number of the chip that a path names; -1 if it is not such a path.
static int number_of(const char *path) {
    int number, size = 0;
    return sscanf(path, "/dev/gpiochip%d%n", &number, &size) == 1 && !path[size] ? number : -1;
}

static int fail(int error) {
    errno = error;
    return -1;
}

int __wrap_open(const char *path, int flags, ...) {
    int number = number_of(path), descriptor = -1;
    if (number < 0)
        return __real_open(path, flags);
    pthread_mutex_lock(&chips_turn);
    opened_sweep();
    struct opened *opened = opened_chips;
    while (opened->is_used)
        opened++;
    int error = number >= most_chips || !chips[number].is_plugged ? ENOENT : chips[number].open_error;
    if (!error)
        descriptor = opened_make(opened, number);
    pthread_mutex_unlock(&chips_turn);
    return error ? fail(error) : descriptor;
}

int __wrap_stat(const char *path, struct stat *status) {
    int number = number_of(path);
    if (number < 0)
        return __real_stat(path, status);
    pthread_mutex_lock(&chips_turn);
    bool is_there = number < most_chips && chips[number].is_plugged;
    pthread_mutex_unlock(&chips_turn);
    *status = (struct stat){.st_mode = S_IFCHR};
    return is_there ? 0 : fail(ENOENT);
}

DIR *__wrap_opendir(const char *path) {
    pthread_mutex_lock(&chips_turn);
    looks++;
    pthread_mutex_unlock(&chips_turn);
    return __real_opendir(strcmp(path, "/dev") == 0 ? "dev" : path);
}

static int answer_chip(int number, unsigned long asked, void *argument) {
    const struct chip *chip = &chips[number];
    struct gpiochip_info *info = argument;
    struct gpio_v2_line_info *line = argument;
    uint32_t index;
    switch (asked) {
    case GPIO_GET_CHIPINFO_IOCTL:
        *info = (struct gpiochip_info){.lines = line_count};
        snprintf(info->name, sizeof info->name, "gpiochip%d", number);
        memcpy(info->label, chip->label, sizeof info->label);
        return 0;
    case GPIO_V2_GET_LINEINFO_IOCTL:
        if (line->offset >= line_count)
            return EINVAL;
        *line = (struct gpio_v2_line_info){.offset = line->offset};
        snprintf(line->name, sizeof line->name, line->offset >= line_count - 2 ? "twin" : "%c",
                 'a' + (int)line->offset);
        const struct request *request = request_of(number, line->offset, &index);
        if (request || chip->occupant[line->offset][0])
            line->flags = GPIO_V2_LINE_FLAG_USED;
        memcpy(line->consumer, request ? request->consumer : chip->occupant[line->offset],
               sizeof line->consumer);
        return 0;
    case GPIO_V2_GET_LINE_IOCTL:
        return request_make(number, argument);
    default:
        return ENOTTY;
    }
}

// An error number; -1 if the descriptor is not one of a chip.
static int answer(ino_t inode, unsigned long asked, void *argument) {
    opened_sweep();
    for (int i = 0; i < most_opened; i++) {
        struct request *request = &requests[i];
        if (opened_chips[i].is_used && opened_chips[i].inode == inode)
            return answer_chip(opened_chips[i].chip, asked, argument);
        if (request->opened.is_used && request->opened.inode == inode)
            return request_answer(request, asked, argument);
    }
    return -1;
}

int __wrap_ioctl(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return -1;
    if (!S_ISSOCK(status.st_mode))
        return __real_ioctl(descriptor, request, argument);
    pthread_mutex_lock(&chips_turn);
    int error = answer(status.st_ino, request, argument);
    pthread_mutex_unlock(&chips_turn);
    // A chip that was unplugged has no descriptors any more.
    return error ? fail(error < 0 ? ENODEV : error) : 0;
}
