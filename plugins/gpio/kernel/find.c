#include "find.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *error_text(int error) {
    const char *text = strerrordesc_np(error);
    return text ? text : "unknown error";
}

static enum result open_path(const char *path, int *descriptor, struct gpiochip_info *info,
                             char reason[most_reason]) {
    *descriptor = kernel_open(path, info);
    if (*descriptor >= 0)
        return GOT;
    int error = -*descriptor;
    if (error == ENOTTY) {
        snprintf(reason, most_reason, "setting `chip`: `%.200s` is not a GPIO chip", path);
        return REFUSED;
    }
    const char *help =
        error == EACCES || error == EPERM ? ": the user of the app needs the right to read and write it" : "";
    snprintf(reason, most_reason, "cannot open `%.200s`: %s%s", path, error_text(error), help);
    return MISSING;
}

// Whether it is `gpiochip` and a number.
static bool is_name(const char *text) {
    if (strncmp(text, "gpiochip", 8) != 0 || !text[8] || strlen(text) > 18)
        return false;
    for (text += 8; *text; text++)
        if (!isdigit((unsigned char)*text))
            return false;
    return true;
}

// Looks at all chips for one with the label. Among several, it is the one that the instance has had.
static enum result open_label(const char *label, int *descriptor, struct gpiochip_info *info,
                              char reason[most_reason]) {
    DIR *folder = opendir("/dev");
    if (!folder) {
        snprintf(reason, most_reason, "cannot look for the chip `%.64s` in `/dev`: %s", label,
                 error_text(errno));
        return MISSING;
    }
    snprintf(reason, most_reason, "no chip has the label `%.64s`", label);
    struct gpiochip_info first;
    *descriptor = -1;
    enum result result = MISSING;
    bool is_own = false;
    for (struct dirent *entry; !is_own && (entry = readdir(folder));) {
        if (!is_name(entry->d_name))
            continue;
        char path[32], why[most_reason];
        struct gpiochip_info found;
        int opened;
        snprintf(path, sizeof path, "/dev/%.18s", entry->d_name);
        if (open_path(path, &opened, &found, why) != GOT) {
            if (result == MISSING) // It may be this one.
                memcpy(reason, why, most_reason);
            continue;
        }
        if (strncmp(found.label, label, sizeof found.label) != 0) {
            close(opened);
            continue;
        }
        is_own = strncmp(found.name, info->name, sizeof found.name) == 0;
        if (result == GOT)
            snprintf(reason, most_reason,
                     "setting `chip`: `%.32s` and `%.32s` have the label `%.32s`: name one by its path",
                     first.name, found.name, label);
        if (*descriptor >= 0)
            close(*descriptor);
        if (result == MISSING || is_own) {
            *descriptor = opened;
            first = found;
            result = GOT;
        } else {
            close(opened);
            *descriptor = -1;
            result = REFUSED;
        }
    }
    if (result == GOT)
        *info = first;
    closedir(folder);
    return result;
}

enum result find_chip(spin_string chip, int *descriptor, struct gpiochip_info *info,
                      char reason[most_reason]) {
    char path[32];
    if (strchr(chip.data, '/'))
        return open_path(chip.data, descriptor, info, reason);
    if (!is_name(chip.data))
        return open_label(chip.data, descriptor, info, reason);
    snprintf(path, sizeof path, "/dev/%.18s", chip.data);
    return open_path(path, descriptor, info, reason);
}
