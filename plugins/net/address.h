// Addresses as texts: `tcp:HOST:PORT`, `udp:HOST:PORT` and `unix:/PATH`.
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include "net.h"

enum address_kind { ADDRESS_TCP, ADDRESS_UDP, ADDRESS_UNIX };

/* The longest text of an address, with its NUL: a path of 108 bytes, for each of which U+FFFD may stand. */
enum { address_size = 336 };

struct address {
    enum address_kind kind;
    char text[address_size];
    char host[256]; /* a name, or an address as digits, without brackets */
    char port[6];
};

/* Reads a text; NULL, or why it is not valid. */
const char *address_parse(spin_string text, struct address *address);

/* Whether it is a path or digits, and so no name that must be looked up. */
int address_is_place(const struct address *address);

#endif
