#include "device.h"
#include "instance.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long the end waits until the device has sent what was written, and how often it looks, in milliseconds. */
enum { longest_end = 2000, interval = 10 };

const char *device_error_text(int error) {
    // Somebody has locked the device, by TIOCEXCL or by flock.
    if (error == EBUSY || error == EWOULDBLOCK)
        return "it is locked by another program, or by another loop of this app";
    const char *text = error ? strerrordesc_np(error) : "it was disconnected";
    return text ? text : "unknown error";
}

enum port_result device_missing(spin_self *self, int error) {
    snprintf(self->port.reason, most_reason, "cannot open `%s`: %s", self->config->device.data,
             device_error_text(error));
    return PORT_MISSING;
}

static enum port_result refuse(spin_self *self) {
    snprintf(self->port.reason, most_reason, "setting `device`: `%s` is not a serial port",
             self->config->device.data);
    return PORT_REFUSED;
}

int device_lock(int device) { return flock(device, LOCK_EX | LOCK_NB) == 0 && ioctl(device, TIOCEXCL) == 0; }

// To close a descriptor would not be enough: after a swap, the old instance has another one of the same lock.
void device_unlock(int device) {
    ioctl(device, TIOCNXCL);
    flock(device, LOCK_UN);
}

void device_put_back(struct port *port) {
    ioctl(port->device, TCSETS2, &port->before);
    device_unlock(port->device);
}

// Waits until the kernel has given the hardware what was written; whether it has. Otherwise drops the rest.
static int drain(int device) {
    for (int waited = 0, unsent; ioctl(device, TIOCOUTQ, &unsent) == 0; waited += interval) {
        if (unsent == 0)
            return 1;
        if (waited >= longest_end)
            break;
        nanosleep(&(struct timespec){.tv_nsec = interval * 1000000}, NULL);
    }
    ioctl(device, TCFLSH, TCOFLUSH);
    return 0;
}

void device_put_back_after_bytes(struct port *port) {
    // TCSETSW2 waits for the few bytes that the hardware holds, as another rate would damage them. It waits without a
    // limit, so it must not find bytes that the other side does not take.
    ioctl(port->device, drain(port->device) ? TCSETSW2 : TCSETS2, &port->before);
    device_unlock(port->device);
}

void device_forget(struct port *port) {
    if (port->device >= 0)
        close(port->device);
    if (port->owner >= 0)
        close(port->owner);
    port->device = port->owner = -1;
}

// Locks the device and sets it.
static enum port_result prepare(spin_self *self) {
    struct port *port = &self->port;
    if (ioctl(port->device, TCGETS2, &port->before) != 0)
        // A port that goes at this moment has these errors.
        return errno == EIO || errno == ENXIO || errno == ENODEV || errno == EBUSY
                   ? device_missing(self, errno)
                   : refuse(self);
    if (!device_lock(port->device))
        return device_missing(self, errno);
    if (mode_apply(port->device, &port->mode, self->config, &port->before, port->reason, most_reason))
        return PORT_OPEN;
    device_put_back(port);
    return PORT_REFUSED;
}

enum port_result device_open(spin_self *self) {
    struct port *port = &self->port;
    struct stat found;
    // To open a file of another kind can have effects.
    if (stat(self->config->device.data, &found) == 0 && !S_ISCHR(found.st_mode))
        return refuse(self);
    // Not blocking: otherwise it could wait for the carrier of a modem.
    port->device = open(self->config->device.data, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (port->device < 0)
        return device_missing(self, errno);
    port->owner = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum port_result result = port->owner < 0 ? device_missing(self, errno) : prepare(self);
    if (result != PORT_OPEN)
        device_forget(port);
    return result;
}

enum device_bytes device_bytes(int device) {
    int unsent;
    unsigned status;
    if (ioctl(device, TIOCOUTQ, &unsent) == 0 && unsent > 0)
        return DEVICE_SENDS;
    if (ioctl(device, TIOCSERGETLSR, &status) != 0)
        return DEVICE_UNKNOWN;
    return status & TIOCSER_TEMT ? DEVICE_SENT : DEVICE_SENDS;
}
