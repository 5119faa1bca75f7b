// A device by itself: opened, locked and set, and what it has yet to send.
#ifndef SERIAL_DEVICE_H
#define SERIAL_DEVICE_H

#include "port.h"

/* Opens the device of the settings, locks and sets it. The port has it then, or `reason` says why not. */
enum port_result device_open(spin_self *self);

/* Writes to `reason` why the device cannot be used now. */
enum port_result device_missing(spin_self *self, int error);

/* Keeps other programs out, but not a user with all rights; 0 if another one was first. */
int device_lock(int device);
void device_unlock(int device);

/* Puts the old settings back and unlocks the device: at once, or when all bytes are sent. */
void device_put_back(struct port *port);
void device_put_back_after_bytes(struct port *port);

/* Closes the device. */
void device_forget(struct port *port);

/* Why a device has gone, or cannot be used; an error number, or 0 for a hang-up. */
const char *device_error_text(int error);

/* What is known of the bytes that were written. */
enum device_bytes {
    DEVICE_SENDS,  /* some are not sent */
    DEVICE_SENT,   /* all are sent */
    DEVICE_UNKNOWN /* the kernel has none left, and cannot say whether the hardware has */
};
enum device_bytes device_bytes(int device);

#endif
