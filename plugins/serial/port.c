#include "port.h"
#include "instance.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long the end waits until the device has sent what was written, and how often it looks, in milliseconds. */
enum { longest_end = 2000, interval = 10 };

static const char *error_text(int error) {
    // Another program has locked the device, by TIOCEXCL or by flock.
    if (error == EBUSY || error == EWOULDBLOCK)
        return "another program has locked it";
    const char *text = error ? strerrordesc_np(error) : "it was disconnected";
    return text ? text : "unknown error";
}

static enum port_result missing(spin_self *self, int error) {
    snprintf(self->port.reason, most_reason, "cannot open `%s`: %s", self->config->device.data,
             error_text(error));
    return PORT_MISSING;
}

static void forget(struct port *port) {
    if (port->device >= 0)
        close(port->device);
    if (port->owner >= 0)
        close(port->owner);
    port->device = port->owner = -1;
}

static void put_back(struct port *port) {
    ioctl(port->device, TCSETS2, &port->before);
    ioctl(port->device, TIOCNXCL);
}

// Keeps other programs out, but not a user with all rights; 0 if another one was first.
static int lock(int device) { return flock(device, LOCK_EX | LOCK_NB) == 0 && ioctl(device, TIOCEXCL) == 0; }

// Locks the device and sets it.
static enum port_result prepare(spin_self *self) {
    struct port *port = &self->port;
    if (ioctl(port->device, TCGETS2, &port->before) != 0) {
        if (errno != ENOTTY)
            return missing(self, errno);
        snprintf(port->reason, most_reason, "setting `device`: `%s` is not a serial port",
                 self->config->device.data);
        return PORT_REFUSED;
    }
    if (!lock(port->device))
        return missing(self, errno);
    if (mode_apply(port->device, &port->mode, self->config, &port->before, port->reason, most_reason))
        return PORT_OPEN;
    put_back(port);
    return PORT_REFUSED;
}

static enum port_result open_device(spin_self *self) {
    struct port *port = &self->port;
    // Not blocking: otherwise it could wait for the carrier of a modem.
    port->device = open(self->config->device.data, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (port->device < 0)
        return missing(self, errno);
    port->owner = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum port_result result = port->owner < 0 ? missing(self, errno) : prepare(self);
    if (result != PORT_OPEN)
        forget(port);
    return result;
}

// The device is open: the engine watches it, and calls of `open` hear of it.
static enum port_result begin(spin_self *self) {
    struct port *port = &self->port;
    struct epoll_event event = {.events = 0, .data.fd = port->device};
    if (epoll_ctl(self->engine.events, EPOLL_CTL_ADD, port->device, &event) != 0) {
        enum port_result result = missing(self, errno);
        put_back(port);
        forget(port);
        return result;
    }
    port->events = 0;
    port->has_started = 1;
    port->changes++;
    port->due = INT64_MAX;
    return PORT_OPEN;
}

enum port_result port_start(spin_self *self) {
    struct port *port = &self->port;
    eventfd_t one;
    if (port->device >= 0 && eventfd_read(port->owner, &one) == 0 && lock(port->device)) {
        if (mode_apply(port->device, &port->mode, self->config, &port->before, port->reason, most_reason))
            return begin(self);
        eventfd_write(port->owner, one);
        return PORT_REFUSED;
    }
    forget(port); // Another instance has closed it, or another program has locked it.
    reader_cut(self);
    enum port_result result = open_device(self);
    return result == PORT_OPEN ? begin(self) : result;
}

void port_adopt(spin_self *self, int device, int owner, const struct termios2 *before) {
    struct port *port = &self->port;
    struct termios2 found;
    struct stat named, other;
    if (stat(self->config->device.data, &named) != 0 || fstat(device, &other) != 0 ||
        !S_ISCHR(other.st_mode) || named.st_rdev != other.st_rdev || ioctl(device, TCGETS2, &found) != 0)
        return;
    port->device = fcntl(device, F_DUPFD_CLOEXEC, 0);
    port->owner = fcntl(owner, F_DUPFD_CLOEXEC, 0);
    port->before = *before;
    if (port->device < 0 || port->owner < 0)
        forget(port);
}

void port_stop(spin_self *self) {
    struct port *port = &self->port;
    port->changes = 0;
    if (port->device < 0)
        return;
    // An instance of another process opens it itself, before this one is freed.
    ioctl(port->device, TIOCNXCL);
    flock(port->device, LOCK_UN);
    eventfd_write(port->owner, 1);
}

// Waits until the device has sent what was written. The kernel would wait too, but for half a minute.
static void drain(int device) {
    int unsent = 0;
    for (int waited = 0; ioctl(device, TIOCOUTQ, &unsent) == 0 && unsent > 0; waited += interval) {
        if (waited >= longest_end) {
            ioctl(device, TCFLSH, TCOFLUSH);
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = interval * 1000000}, NULL);
    }
}

void port_free(spin_self *self) {
    struct port *port = &self->port;
    eventfd_t one;
    if (port->device >= 0 && port->has_started && eventfd_read(port->owner, &one) == 0 &&
        lock(port->device)) {
        drain(port->device);
        put_back(port);
    }
    forget(port);
}

void port_reopen(spin_self *self) {
    struct port *port = &self->port;
    if (port->device >= 0 || spin_monotonic() < port->due)
        return;
    char before[most_reason];
    memcpy(before, port->reason, most_reason);
    enum port_result result = open_device(self);
    if (result == PORT_OPEN)
        result = begin(self);
    if (result == PORT_OPEN) {
        spin_log(self->engine.call, SPIN_LOG_INFO, "the port is open");
        return;
    }
    if (strcmp(before, port->reason) != 0)
        spin_log(self->engine.call, SPIN_LOG_WARNING, port->reason);
    port->due = spin_monotonic() + self->config->reopen;
}

void port_lose(spin_self *self, int error) {
    struct port *port = &self->port;
    epoll_ctl(self->engine.events, EPOLL_CTL_DEL, port->device, NULL);
    put_back(port);
    forget(port);
    snprintf(port->reason, most_reason, "`%s` has gone: %s", self->config->device.data,
             error_text(error == EIO ? 0 : error));
    spin_log(self->engine.call, SPIN_LOG_WARNING, port->reason);
    port->changes++;
    port->due = spin_monotonic() + self->config->reopen;
    reader_cut(self);
    writer_lose(self);
}

void port_watch(spin_self *self, int reads, int writes) {
    struct port *port = &self->port;
    uint32_t events = (reads ? EPOLLIN : 0) | (writes ? EPOLLOUT : 0);
    if (port->device < 0 || events == port->events)
        return;
    struct epoll_event event = {.events = events, .data.fd = port->device};
    if (epoll_ctl(self->engine.events, EPOLL_CTL_MOD, port->device, &event) == 0)
        port->events = events;
}

int64_t port_due(const spin_self *self) { return self->port.device < 0 ? self->port.due : INT64_MAX; }
