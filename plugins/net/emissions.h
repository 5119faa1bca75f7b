// What the plugin emits.
#ifndef NET_EMISSIONS_H
#define NET_EMISSIONS_H

#include "net.h"
#include <string.h>

SPIN_EMITTER(connected, (spin_string, connection), (spin_string, peer));
SPIN_EMITTER(lost, (spin_string, reason));
SPIN_EMITTER(listening, (spin_string, address));
SPIN_EMITTER(opened, (spin_string, connection), (spin_string, peer));
SPIN_EMITTER(closed, (spin_string, connection), (spin_string, reason));
SPIN_EMITTER(frame, (spin_string, connection), (spin_bytes, data), (spin_string, text));
SPIN_EMITTER(datagram, (spin_string, sender), (spin_bytes, data));
SPIN_EMITTER(damaged, (spin_string, connection), (int64_t, bytes), (spin_string, reason));

SPIN_INLINE spin_string text_of(const char *text) { return (spin_string){text, strlen(text)}; }

#endif
