#include "mode.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

// A driver keeps a rate if it differs by so many parts of a hundred: the other side understands it.
enum { tolerance = 2 };

// The rates that have a constant. Other programs may know these alone.
static const struct {
    unsigned rate, code;
} constants[] = {
    {50, B50},           {75, B75},           {110, B110},         {134, B134},         {150, B150},
    {200, B200},         {300, B300},         {600, B600},         {1200, B1200},       {1800, B1800},
    {2400, B2400},       {4800, B4800},       {9600, B9600},       {19200, B19200},     {38400, B38400},
    {57600, B57600},     {115200, B115200},   {230400, B230400},   {460800, B460800},   {500000, B500000},
    {576000, B576000},   {921600, B921600},   {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000},
    {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000}, {4000000, B4000000}};

static tcflag_t rate_code(unsigned rate) {
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (constants[i].rate == rate)
            return constants[i].code;
    return BOTHER;
}

// The bits of `8N1` and its like; 0 if the text is not one.
static int parse_format(spin_string text, struct mode *mode) {
    static const tcflag_t sizes[] = {CS5, CS6, CS7, CS8};
    if (text.size != 3 || text.data[0] < '5' || text.data[0] > '8' || !strchr("NEO", text.data[1]) ||
        text.data[1] == 0 || (text.data[2] != '1' && text.data[2] != '2'))
        return 0;
    mode->control |= sizes[text.data[0] - '5'];
    if (text.data[1] != 'N') {
        mode->control |= text.data[1] == 'O' ? PARENB | PARODD : PARENB;
        mode->input |= INPCK;
    }
    if (text.data[2] == '2')
        mode->control |= CSTOPB;
    return 1;
}

const char *mode_parse(const spin_config *config, struct mode *mode) {
    // A device that is not a modem has no carrier. A break is no byte.
    *mode = (struct mode){.baud = (unsigned)config->baud, .control = CREAD | CLOCAL, .input = IGNBRK};
    if (!parse_format(config->format, mode))
        return "setting `format`: it is not data bits, parity and stop bits, such as `8N1` or `7E2`";
    if (strcmp(config->flow.data, "hardware") == 0)
        mode->control |= CRTSCTS;
    else if (strcmp(config->flow.data, "software") == 0)
        mode->input |= IXON | IXOFF;
    else if (strcmp(config->flow.data, "none") != 0)
        return "setting `flow`: it is not `none`, `hardware` or `software`";
    return NULL;
}

static int refuse(const spin_config *config, char *reason, size_t size) {
    const char *cause = strerrordesc_np(errno);
    snprintf(reason, size, "cannot set `%s`: %s", config->device.data, cause ? cause : "unknown error");
    return 0;
}

int mode_apply(int device, const struct mode *mode, const spin_config *config, const struct termios2 *before,
               char *reason, size_t size) {
    const tcflag_t format = CSIZE | PARENB | PARODD | CMSPAR | CSTOPB;
    struct termios2 raw = *before;
    raw.c_iflag = mode->input;
    raw.c_oflag = raw.c_lflag = 0;
    // HUPCL stays as it was.
    raw.c_cflag &= ~(format | CRTSCTS | CBAUD | CIBAUD);
    raw.c_cflag |= mode->control | rate_code(mode->baud);
    raw.c_ispeed = raw.c_ospeed = mode->baud;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSTART] = 0x11;
    raw.c_cc[VSTOP] = 0x13;
    struct termios2 set;
    if (ioctl(device, TCSETS2, &raw) != 0 || ioctl(device, TCGETS2, &set) != 0)
        return refuse(config, reason, size);
    uint64_t wanted = mode->baud, found = set.c_ospeed;
    if ((found > wanted ? found - wanted : wanted - found) * 100 > wanted * tolerance) {
        snprintf(reason, size, "setting `baud`: `%s` has set %u in place of %u", config->device.data,
                 set.c_ospeed, mode->baud);
        return 0;
    }
    if ((set.c_cflag & format) != (mode->control & format)) {
        snprintf(reason, size, "setting `format`: `%s` cannot do `%s`", config->device.data,
                 config->format.data);
        return 0;
    }
    if ((set.c_cflag & CRTSCTS) != (mode->control & CRTSCTS)) {
        snprintf(reason, size, "setting `flow`: `%s` cannot do `%s`", config->device.data, config->flow.data);
        return 0;
    }
    return 1;
}
