// The effects that read and change files. Their calls become jobs. (It includes no header of the system that declares
// functions of the same names.)
#include "job.h"

static const spin_bytes nothing = {NULL, 0};

static void read(spin_call *call, spin_self *self, const char *path) {
    job_begin(call, self, JOB_READ, path, NULL, nothing);
}
SPIN_EFFECT(void, read, (spin_call *call, spin_self *self, const char *path),
            "Reads a regular file of UTF-8: emits `text`.");

static void read_bytes(spin_call *call, spin_self *self, const char *path) {
    job_begin(call, self, JOB_READ_BYTES, path, NULL, nothing);
}
SPIN_EFFECT(void, read_bytes, (spin_call *call, spin_self *self, const char *path),
            "Reads a regular file: emits `data`.");

static void write(spin_call *call, spin_self *self, const char *path, spin_bytes data) {
    job_begin(call, self, JOB_WRITE, path, NULL, data);
}
SPIN_EFFECT(void, write, (spin_call *call, spin_self *self, const char *path, spin_bytes data),
            "Makes a file, or replaces what it has, all at once: emits `done` when the disk has it.");

static void append(spin_call *call, spin_self *self, const char *path, spin_bytes data) {
    job_begin(call, self, JOB_APPEND, path, NULL, data);
}
SPIN_EFFECT(void, append, (spin_call *call, spin_self *self, const char *path, spin_bytes data),
            "Appends to a file, which it makes if it is missing: emits `done`.");

static void remove(spin_call *call, spin_self *self, const char *path) {
    job_begin(call, self, JOB_REMOVE, path, NULL, nothing);
}
SPIN_EFFECT(void, remove, (spin_call *call, spin_self *self, const char *path),
            "Removes a file or an empty folder, if it is there: emits `done`.");

static void move(spin_call *call, spin_self *self, const char *path, const char *to) {
    job_begin(call, self, JOB_MOVE, path, to, nothing);
}
SPIN_EFFECT(void, move, (spin_call *call, spin_self *self, const char *path, const char *to),
            "Renames a file or a folder, and replaces nothing: emits `done`.");

static void make_folder(spin_call *call, spin_self *self, const char *path) {
    job_begin(call, self, JOB_MAKE_FOLDER, path, NULL, nothing);
}
SPIN_EFFECT(void, make_folder, (spin_call *call, spin_self *self, const char *path),
            "Makes a folder and those above it, as far as they are missing: emits `done`.");

static void glob(spin_call *call, spin_self *self, const char *pattern) {
    job_begin(call, self, JOB_GLOB, pattern, NULL, nothing);
}
SPIN_EFFECT(void, glob, (spin_call *call, spin_self *self, const char *pattern),
            "Emits `paths` with all that match the pattern, sorted.");
