#include "sim.h"
#include "../plugin-host/host.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = "/sys/kernel/config/gpio-sim";
static char device[64], name[64];

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "we");
    check("the file of the chip is written", file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void get(const char *path, char *text, int size) {
    FILE *file = fopen(path, "re");
    check("the file of the chip is read", file && fgets(text, size, file) && fclose(file) == 0);
    text[strcspn(text, "\n")] = 0;
}

bool sim_is_there(void) { return access(folder, W_OK) == 0; }

static char *in_folder(const char *path) {
    static char whole[128];
    snprintf(whole, sizeof whole, "%s/test%s", folder, path);
    return whole;
}

static void make(const char *path) { check("a part of the chip is made", mkdir(in_folder(path), 0700) == 0); }

void sim_plug(void) {
    char path[32], text[2] = "a";
    make("");
    make("/bank");
    put(in_folder("/bank/num_lines"), "8");
    put(in_folder("/bank/label"), "board");
    for (int line = 0; line < 8; line++) {
        snprintf(path, sizeof path, "/bank/line%d", line);
        make(path);
        strcat(path, "/name");
        put(in_folder(path), text);
        text[0]++;
    }
    put(in_folder("/live"), "1");
    get(in_folder("/dev_name"), device, sizeof device);
    get(in_folder("/bank/chip_name"), name, sizeof name);
}

void sim_unplug(void) {
    char path[32];
    put(in_folder("/live"), "0");
    for (int line = 0; line < 8; line++) {
        snprintf(path, sizeof path, "/bank/line%d", line);
        rmdir(in_folder(path));
    }
    rmdir(in_folder("/bank"));
    check("the chip is unplugged", rmdir(in_folder("")) == 0);
}

const char *sim_name(void) { return name; }

static char *of_line(int line, const char *file) {
    static char path[256];
    snprintf(path, sizeof path, "/sys/devices/platform/%s/%s/sim_gpio%d/%s", device, name, line, file);
    return path;
}

void sim_pull(int line, bool is_up) { put(of_line(line, "pull"), is_up ? "pull-up" : "pull-down"); }

int sim_value(int line) {
    char text[8];
    get(of_line(line, "value"), text, sizeof text);
    return text[0] == '1';
}
