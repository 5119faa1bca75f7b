#include "port.h"
#include "device.h"
#include "instance.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

// The device is open: the engine watches it, and calls of `open` hear of it.
static enum port_result begin(spin_self *self) {
    struct port *port = &self->port;
    struct epoll_event event = {.events = 0, .data.ptr = port};
    if (epoll_ctl(self->engine.events, EPOLL_CTL_ADD, port->device, &event) != 0) {
        enum port_result result = device_missing(self, errno);
        device_put_back(port);
        device_forget(port);
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
    if (port->device >= 0 && eventfd_read(port->owner, &one) == 0 && device_lock(port->device)) {
        if (mode_apply(port->device, &port->mode, self->config, &port->before, port->reason, most_reason))
            return begin(self);
        eventfd_write(port->owner, one);
        return PORT_REFUSED;
    }
    device_forget(port); // Another instance has closed it, or another program has locked it.
    reader_cut(self);
    enum port_result result = device_open(self);
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
        device_forget(port);
}

void port_stop(spin_self *self) {
    struct port *port = &self->port;
    port->changes = 0;
    if (port->device < 0)
        return;
    // An instance of another process opens it itself, before this one is freed.
    device_unlock(port->device);
    eventfd_write(port->owner, 1);
}

void port_free(spin_self *self) {
    struct port *port = &self->port;
    eventfd_t one;
    if (port->device >= 0 && port->has_started && eventfd_read(port->owner, &one) == 0 &&
        device_lock(port->device))
        device_put_back_after_bytes(port);
    device_forget(port);
}

void port_reopen(spin_self *self) {
    struct port *port = &self->port;
    if (port->device >= 0 || spin_monotonic() < port->due)
        return;
    char before[most_reason];
    memcpy(before, port->reason, most_reason);
    enum port_result result = device_open(self);
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
    device_put_back(port);
    device_forget(port);
    snprintf(port->reason, most_reason, "`%s` has gone: %s", self->config->device.data,
             device_error_text(error == EIO ? 0 : error));
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
    struct epoll_event event = {.events = events, .data.ptr = port};
    if (epoll_ctl(self->engine.events, EPOLL_CTL_MOD, port->device, &event) == 0)
        port->events = events;
}

int64_t port_due(const spin_self *self) { return self->port.device < 0 ? self->port.due : INT64_MAX; }
