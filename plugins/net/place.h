// Addresses as the system has them. It declares what effects have as names, so that their file does not include it.
#ifndef NET_PLACE_H
#define NET_PLACE_H

#include "address.h"
#include <sys/socket.h>
#include <sys/un.h>

struct place {
    socklen_t size;
    union {
        struct sockaddr any;
        struct sockaddr_un local;
        struct sockaddr_storage storage;
    };
};

/* The place of an address; 0 if it is a name. */
int place_of(const struct address *address, struct place *place);

/* Writes a place as a text that address_parse reads. A peer at an unnamed local socket is `unix:`. */
void place_write(enum address_kind kind, const struct place *place, char text[address_size]);

#endif
