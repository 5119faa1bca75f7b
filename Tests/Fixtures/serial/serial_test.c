// The settings of a port, files that are no port, and devices that come and go.
#include "driver.h"
#include "system.h"
#include "world.h"
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_settings(void) {
    reset_config();
    config.device = TEXT("");
    expect("a device is named", reason_of_create(), "-5 setting `device`: it is not a path");
    reset_config();
    const spin_string formats[] = {TEXT(""),    TEXT("9N1"),  TEXT("8X1"),
                                   TEXT("8N3"), TEXT("8N11"), TEXT("8\0001")};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        config.format = formats[i];
        expect("a format is one", reason_of_create(),
               "-5 setting `format`: it is not data bits, parity and stop bits, such as `8N1` or `7E2`");
    }
    reset_config();
    config.flow = TEXT("both");
    expect("a flow is one", reason_of_create(),
           "-5 setting `flow`: it is not `none`, `hardware` or `software`");
}

static void test_device(void) {
    const struct {
        int32_t baud;
        spin_string format, flow;
        tcflag_t control, input;
    } cases[] = {
        {9600, TEXT("8N1"), TEXT("none"), CS8 | B9600, 0},
        {115200, TEXT("8N2"), TEXT("software"), CS8 | CSTOPB | B115200, IXON | IXOFF},
        {250000, TEXT("8N1"), TEXT("hardware"), CS8 | CRTSCTS | BOTHER, 0},
        {4000000, TEXT("8N1"), TEXT("none"), CS8 | B4000000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plug();
        int device = open_device(), is_alone = 0;
        struct termios2 before = settings_of(device);
        before.c_cflag |= CMSPAR;
        check("it has had a strange parity", ioctl(device, TCSETS2, &before) == 0);
        before = settings_of(device);
        reset_config();
        config.baud = cases[i].baud;
        config.format = cases[i].format;
        config.flow = cases[i].flow;
        spin_self *self = make();
        struct termios2 set = settings_of(device);
        check("it has the rate", set.c_ospeed == (unsigned)cases[i].baud && set.c_ispeed == set.c_ospeed);
        check("it has the format", (set.c_cflag & (CSIZE | CSTOPB | PARENB | CMSPAR | CRTSCTS | CBAUD |
                                                   CREAD | CLOCAL)) == (cases[i].control | CREAD | CLOCAL));
        check("it is raw", set.c_iflag == (cases[i].input | IGNBRK) && set.c_oflag == 0 && set.c_lflag == 0);
        check("it hangs up as before", (set.c_cflag & HUPCL) == (before.c_cflag & HUPCL));
        check("nobody else opens it", ioctl(device, TIOCGEXCL, &is_alone) == 0 && is_alone);
        stop(self);
        destroy(self);
        set = settings_of(device);
        check("its settings are back", memcmp(&set, &before, sizeof set) == 0);
        check("others open it again", ioctl(device, TIOCGEXCL, &is_alone) == 0 && !is_alone);
        close(device);
        unplug();
    }
}

static void test_refusal(void) {
    reset_config();
    plug();
    config.format = TEXT("7E1");
    spin_self *self = create();
    expect("a pseudo-terminal has no parity", reason_of_start(self),
           "-1 setting `format`: `port` cannot do `7E1`");
    destroy(self);
    reset_config();
    unplug();
    const struct {
        spin_string device;
        const char *reason;
    } others[] = {{TEXT("/dev/null"), "-1 setting `device`: `/dev/null` is not a serial port"},
                  {TEXT("/dev/random"), "-1 setting `device`: `/dev/random` is not a serial port"},
                  {TEXT("/tmp"), "-1 setting `device`: `/tmp` is not a serial port"},
                  {TEXT("pipe"), "-1 setting `device`: `pipe` is not a serial port"}};
    check("there is a pipe", mkfifo("pipe", 0600) == 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        config.device = others[i].device;
        self = create();
        expect("not each file is a port", reason_of_start(self), others[i].reason);
        destroy(self);
    }
    unlink("pipe");
}

// Rates and formats that a pseudo-terminal does not keep.
static void test_driver(void) {
    static const struct {
        const char *format;
        unsigned control, input;
    } formats[] = {{"5N1", CS5, 0},
                   {"6O2", CS6 | PARENB | PARODD | CSTOPB, INPCK},
                   {"7E1", CS7 | PARENB, INPCK},
                   {"8E2", CS8 | PARENB | CSTOPB, INPCK}};
    plug();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        reset_config();
        driver_begin();
        config.format = (spin_string){formats[i].format, 3};
        spin_self *self = make();
        check("the driver has the format",
              (driver_control() & (CSIZE | PARENB | PARODD | CSTOPB)) == formats[i].control);
        check("the driver checks parity", driver_input() == (IGNBRK | formats[i].input));
        stop(self);
        destroy(self);
    }
    reset_config();
    driver_begin();
    config.baud = 250000;
    driver_set_rate(254000);
    spin_self *self = make();
    stop(self);
    destroy(self);
    driver_set_rate(230400);
    self = create();
    expect("the driver has another rate", reason_of_start(self),
           "-1 setting `baud`: `port` has set 230400 in place of 250000");
    destroy(self);
    reset_config();
    driver_begin();
    config.format = TEXT("7E1");
    driver_set_control(CMSPAR);
    self = create();
    expect("the driver has another parity", reason_of_start(self),
           "-1 setting `format`: `port` cannot do `7E1`");
    destroy(self);
    driver_end();
    unplug();
}

// A device that comes, goes and comes back.
static void test_gone(void) {
    reset_config();
    spin_self *self = make();
    spin_call *changes = call_open(self), *reader = call_lines(self, -1);
    const char *missing = "closed cannot open `port`: No such file or directory\n";
    expect("it is missing", host_await(changes, "directory\n"), missing);
    expect("nothing can be written", host_ended(call_write(self, "a", 1)),
           "-1 the port is closed: cannot open `port`: No such file or directory");
    plug();
    host_await_timer(config.reopen);
    host_advance(config.reopen);
    host_await(changes, "opened port\n");
    say("one\ntwo", 7);
    host_await(reader, "one\n");
    system_await_read(7);
    unplug();
    host_await(changes, "disconnected\n");
    expect("the rest is lost", host_await(reader, "end\n"),
           "one\ndamaged 3: the port was closed before its end\n");
    plug();
    int other = open_device();
    check("another program locks it", flock(other, LOCK_EX | LOCK_NB) == 0);
    host_await_timer(config.reopen);
    host_advance(config.reopen);
    host_await_timer(config.reopen); // It has tried.
    expect("it is closed", host_ended(call_write(self, "a", 1)),
           "-1 the port is closed: cannot open `port`: it is locked by another program, or by another loop "
           "of this app");
    check("it can be used again", flock(other, LOCK_UN) == 0);
    host_advance(config.reopen);
    expect("it is back", host_await(changes, "opened port\n") + strlen(missing),
           "opened port\nclosed `port` has gone: it was disconnected\nopened port\n");
    say("three\n", 6);
    host_await(reader, "three\n");
    system_await_read(6);
    close(other);
    host_cancel(changes);
    host_cancel(reader);
    stop(self);
    destroy(self);
    unplug();
}

void test_modes(void) {
    test_settings();
    test_device();
    test_refusal();
    test_driver();
    test_gone();
    reset_config();
}
