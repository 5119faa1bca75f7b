// outside_test FOLDER: calls the plugins that the project outside/ built.
#include "fake_host.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*function)(void);

static function effect(const char *folder, const char *file, const char *symbol) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.so", folder, file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct spin_plugin_info *info = library ? dlsym(library, "spin_plugin_info") : NULL;
    const spin_effect *found = library ? dlsym(library, symbol) : NULL;
    if (!info || !found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *info->host = &fake_host;
    return found->function;
}

int main(int count, char **arguments) {
    const char *folder = count == 2 ? arguments[1] : ".";
    int32_t (*hello)(int32_t) = (int32_t(*)(int32_t))effect(folder, "hello", "spin_effect_hello");
    fake_note("%d", hello(41));

    int32_t (*letters)(const char *) =
        (int32_t(*)(const char *))effect(folder, "counting", "spin_effect_count_letters");
    letters("one");
    fake_note("%d", letters("three"));

    void (*shout)(spin_call *, const char *) =
        (void (*)(spin_call *, const char *))effect(folder, "shouting", "spin_effect_shout");
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
