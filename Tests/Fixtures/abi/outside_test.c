// outside_test FOLDER: calls the plugins that the project outside/ built.
#include "fake_host.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*function)(void);

static function effect(const char *folder, const char *file, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.so", folder, file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct spin_entry *entry = library ? dlsym(library, "spin_entry") : NULL;
    const spin_effect *found = entry ? fake_find(entry, SPIN_KIND_EFFECT, name) : NULL;
    if (!found) {
        fprintf(stderr, "%s: no effect `%s`\n", path, name);
        exit(1);
    }
    *entry->host = &fake_host;
    return found->function;
}

int main(int count, char **arguments) {
    const char *folder = count == 2 ? arguments[1] : ".";
    int32_t (*hello)(int32_t) = (int32_t(*)(int32_t))effect(folder, "hello", "hello");
    fake_note("%d", hello(41));

    int32_t (*letters)(const char *) = (int32_t(*)(const char *))effect(folder, "counting", "count_letters");
    letters("one");
    fake_note("%d", letters("three"));

    void (*shout)(spin_call *, const char *) =
        (void (*)(spin_call *, const char *))effect(folder, "shouting", "shout");
    shout(fake_call(), "hey");
    shout(fake_call(), "");
    spin_call *cancelled = fake_call();
    fake_cancel(cancelled);
    shout(cancelled, "hey");

    return !fake_expect("plugins of a project outside the tree", "0 42\n"
                                                                 "0 8\n"
                                                                 "0 log 1 0 at 0 and 1000000\n"
                                                                 "0 print HEY\n"
                                                                 "0 finish\n"
                                                                 "0 print finished once\n"
                                                                 "0 fail -5 nothing to shout\n"
                                                                 "0 log 0 1 in vain\n"
                                                                 "0 log 1 0 at 0 and 1000000\n"
                                                                 "0 print HEY\n");
}
