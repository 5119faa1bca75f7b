#include "world.h"
#include "../plugin-host/plugin.h"
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const int plugin_waits = 1;

struct spin_config config;

void reset_config(void) {
    config = (struct spin_config){.root = TEXT(""), .largest = 1000, .most_paths = 100};
}

spin_self *create(void) {
    spin_self *self = plugin_instance()->create(host_call("create"), &config);
    check("an instance is made", self != NULL);
    return self;
}

static void start(spin_self *self) {
    check("it starts", plugin_life()->start(host_call("start"), self) == SPIN_OK);
}

spin_self *make(void) {
    spin_self *self = create();
    start(self);
    return self;
}

const char *reason_of_start(void) {
    spin_self *self = create();
    spin_call *call = host_call("start");
    check("it does not start", plugin_life()->start(call, self) != SPIN_OK);
    destroy(self);
    return host_ended(call);
}

void stop(spin_self *self) { plugin_life()->stop(self); }

void destroy(spin_self *self) {
    host_await_work();
    plugin_instance()->destroy(self);
}

void end(spin_self *self) {
    stop(self);
    destroy(self);
}

spin_self *take_over(spin_self *self) {
    save(self);
    spin_self *next = create();
    restore_saved(next);
    start(next);
    return next;
}

int room_of_next = -1;

static spin_call *next_call(const char *key) {
    static int number;
    char own[32];
    snprintf(own, sizeof own, "run-%d", ++number);
    spin_call *call = host_call(key ? key : own);
    host_set_room(call, room_of_next);
    room_of_next = -1;
    return call;
}

spin_call *call_watch(spin_self *self, const char *key, const char *path, const char *how,
                      spin_duration settle) {
    spin_call *call = next_call(key);
    ((void (*)(spin_call *, spin_self *, const char *, bool, bool, spin_duration))plugin_effect("watch"))(
        call, self, path, strstr(how, "recursive") != NULL, strstr(how, "present") != NULL, settle);
    host_await_work();
    return call;
}

spin_call *call_path(spin_self *self, const char *effect, const char *path) {
    spin_call *call = next_call(NULL);
    ((void (*)(spin_call *, spin_self *, const char *))plugin_effect(effect))(call, self, path);
    return call;
}

spin_call *call_rows(spin_self *self, const char *key, const char *path, int count, const char *columns[]) {
    spin_string names[8];
    spin_call *call = next_call(key);
    check("there are not too many columns", count <= 8);
    for (int i = 0; i < count; i++)
        names[i] = (spin_string){columns[i], strlen(columns[i])};
    ((void (*)(spin_call *, spin_self *, const char *, spin_list_string))plugin_effect("rows"))(
        call, self, path, (spin_list_string){names, (size_t)count});
    return call;
}

spin_call *call_move(spin_self *self, const char *path, const char *to) {
    spin_call *call = next_call(NULL);
    ((void (*)(spin_call *, spin_self *, const char *, const char *))plugin_effect("move"))(call, self, path,
                                                                                            to);
    return call;
}

spin_call *call_data(spin_self *self, const char *effect, const char *key, const char *path,
                     const char *data) {
    spin_call *call = next_call(key);
    ((void (*)(spin_call *, spin_self *, const char *, spin_bytes))plugin_effect(effect))(
        call, self, path, (spin_bytes){(const uint8_t *)data, strlen(data)});
    return call;
}

const char *result(spin_call *call) { return host_ended(call); }

void make_file(const char *path, const char *content) {
    // A new file without a content is one notice, and not two as with `open` and `close`.
    if (!*content && mknod(path, S_IFREG | 0644, 0) == 0)
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    check("a file opens", file >= 0);
    check("it is written", pwrite(file, content, strlen(content), 0) == (ssize_t)strlen(content));
    close(file);
}

void grow_file(const char *path) {
    struct stat status;
    check("it grows", stat(path, &status) == 0 && truncate(path, status.st_size + 1) == 0);
}

void hold(spin_call *watch, const char *path) {
    host_set_room(watch, 0);
    make_file(path, "");
    host_await_room(watch);
}

void make_dir(const char *path) { check("a folder is made", mkdir(path, 0755) == 0); }
void rename_path(const char *from, const char *to) { check("it is moved", rename(from, to) == 0); }

void make_link(const char *target, const char *path) {
    check("a link is made", symlink(target, "new-link") == 0);
    rename_path("new-link", path);
}

void make_dirs(const char *first, const char *second, const char *third) {
    make_dir(first);
    make_dir(second);
    make_dir(third);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)type, (void)place;
    return remove(path);
}

void remove_all(const char *path) {
    check("it is removed", nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

const char *content_of(const char *path) {
    static char content[256];
    FILE *file = fopen(path, "re");
    if (!file)
        return "nothing";
    content[fread(content, 1, sizeof content - 1, file)] = 0;
    fclose(file);
    return content;
}

int main(void) {
    char folder[] = "/tmp/files-test-XXXXXX";
    check("there is a folder", mkdtemp(folder) && chdir(folder) == 0);
    plugin_load(&test_host);
    polls_begin();
    reset_config();
    test_reading();
    test_writing();
    test_changes();
    test_globs();
    test_searches();
    test_roots();
    test_watches();
    test_trees();
    test_routes();
    test_targets();
    test_counts();
    test_rows();
    test_row_limits();
    test_row_places();
    test_losses();
    test_ends();
    polls_close();
    remove_all(folder);
    return 0;
}
