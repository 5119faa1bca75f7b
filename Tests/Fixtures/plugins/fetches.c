// libcurl's write callback as an effect that emits each part of what it reads.
#include <dlfcn.h>
#include <stddef.h>

#include <spinhost/plugin.h>

SPIN_PLUGIN("fetches", "1.0.0");

SPIN_EMITTER(part, (spin_bytes, data));
SPIN_EMITTER(ended, (int64_t, code));

// From curl/curl.h, so that the test needs no header.
enum { CURLOPT_WRITEDATA = 10001, CURLOPT_URL = 10002, CURLOPT_WRITEFUNCTION = 20011 };

static size_t write_part(char *data, size_t size, size_t count, void *context) {
    const spin_bytes bytes = {(const uint8_t *)data, size * count};
    // libcurl ends the transfer when it gets another number than it gave.
    return part(context, bytes) == SPIN_OK ? size * count : 0;
}

static void fetch(spin_call *call, const char *url) {
    void *const library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        spin_fail(call, -1, "there is no libcurl");
        return;
    }
    void *(*const init)(void) = (void *(*)(void))dlsym(library, "curl_easy_init");
    int (*const setopt)(void *, int, ...) = (int (*)(void *, int, ...))dlsym(library, "curl_easy_setopt");
    int (*const perform)(void *) = (int (*)(void *))dlsym(library, "curl_easy_perform");
    void (*const cleanup)(void *) = (void (*)(void *))dlsym(library, "curl_easy_cleanup");
    void *const handle = init();
    setopt(handle, CURLOPT_URL, url);
    setopt(handle, CURLOPT_WRITEFUNCTION, write_part);
    setopt(handle, CURLOPT_WRITEDATA, call);
    const int code = perform(handle);
    cleanup(handle);
    ended(call, code);
    spin_finish(call);
}
SPIN_EFFECT(void, fetch, (spin_call *call, const char *url), "GET of `url`; emits `part` and `ended`.");
