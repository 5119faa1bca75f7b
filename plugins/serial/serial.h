// Each file of the plugin includes this first.
#ifndef SERIAL_H
#define SERIAL_H

// For memmem and names of errors. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>
#include <stdbool.h>

SPIN_CONFIG((spin_string, device, SPIN_REQUIRED, "The path of the device."),
            (int32_t, baud, 115200, 1, 20000000, "Bits per second."),
            (spin_string, format, "8N1", "Data bits 5 to 8, parity `N`, `E` or `O`, and stop bits 1 or 2."),
            (spin_string, flow, "none",
             "What lets the other side wait: `none`, `hardware` (RTS and CTS) or `software` (XON and XOFF)."),
            (spin_duration, reopen, "1s", "10ms", "24h",
             "How long until the plugin tries again to open a device that is missing."),
            (spin_duration, signals_interval, "20ms", "1ms", "1h", "How often `signals` looks at the modem lines."),
            (int64_t, longest, 65536, 1, 16777216, "The most bytes of a line or a frame."),
            (int64_t, most_unsent, 65536, 1, 1073741824, "The most bytes that wait until they can be written."));

#endif
