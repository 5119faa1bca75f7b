// The device of an instance: opened, locked, set, and opened again when it has gone.
#ifndef SERIAL_PORT_H
#define SERIAL_PORT_H

#include "mode.h"

enum { most_reason = 512 };

struct port {
    struct mode mode;
    int device; /* -1 while it is closed */
    /* An eventfd, which instances of this process hand over together with the device. It is 1 while no started instance
     * uses the device. The instance that takes the 1 puts the old settings back, in the end. */
    int owner;
    int has_started;          /* whether this instance has used the device */
    struct termios2 before;   /* the settings to put back */
    uint64_t changes;         /* how often it was opened or closed; odd while it is open */
    char reason[most_reason]; /* why it is closed */
    int64_t due;              /* when to open it again */
    uint32_t events;          /* those that the engine looks for */
};

/* What opening a device has come to. */
enum port_result { PORT_OPEN, PORT_MISSING, PORT_REFUSED };

/* Opens the device, or continues with the one that another instance has handed over. After PORT_MISSING a later try may
 * find it; PORT_REFUSED means that settings do not fit it. `reason` says why then. For `start`. */
enum port_result port_start(spin_self *self);

/* Takes over a device of this process and its `owner`, if the device is the one that the settings name. */
void port_adopt(spin_self *self, int device, int owner, const struct termios2 *before);

/* From now on another instance may use the device, also one of another process. For `stop`. */
void port_stop(spin_self *self);

/* Closes the device, and puts its settings back if nobody else uses it. For `destroy`. */
void port_free(spin_self *self);

/* Opens the device again when that is due. */
void port_reopen(spin_self *self);

/* The device has gone: an error number, or 0 for a hang-up. */
void port_lose(spin_self *self, int error);

/* Has the engine look for these events of the device, besides a hang-up. */
void port_watch(spin_self *self, int reads, int writes);

/* When the port needs the engine again; INT64_MAX if it does not. */
int64_t port_due(const spin_self *self);

#endif
