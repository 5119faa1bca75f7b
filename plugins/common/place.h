// Where a server is, as a URL says it.
#ifndef COMMON_PLACE_H
#define COMMON_PLACE_H

#include <spinhost/plugin.h>

/* The URLs of a protocol: how they begin without and with TLS, and the ports that they mean without one. */
struct place_kind {
    const char *plain, *secure; /* "mqtt://", "mqtts://" */
    unsigned short plain_port, secure_port;
};

struct place {
    int has_tls;
    char host[256]; /* a name or an address, without brackets */
    char port[6];
};

/* Enough for the name of any such place. */
enum { place_name_size = 264 };

/* Writes `HOST:PORT` for the log, with brackets around an address of IPv6. */
void place_name(const char *host, const char *port, char name[place_name_size]);

/* Reads such a URL with `HOST[:PORT]`; 0 if the text is not one. */
int place_read(spin_string text, const struct place_kind *kind, struct place *place);

#endif
