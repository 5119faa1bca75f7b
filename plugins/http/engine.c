#include "transfer.h"
#include "../common/instance/create.h"
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>

/* Version 7.87, the first with CURLOPT_QUICK_EXIT. */
enum { oldest_curl = 0x075700 };

static const char *curl_problem;

// Sets up libcurl for this version of the plugin. A thread of libcurl that looks up a name may outlive a cancelled
// request, and so the plugin. For its sake libcurl stays mapped when the plugin goes, and is not cleaned up.
static void set_up_curl(void) {
    Dl_info info;
    if (curl_version_info(CURLVERSION_NOW)->version_num < oldest_curl)
        curl_problem = "libcurl is too old: the plugin needs version 7.87";
    else if (!dladdr((void *)(uintptr_t)curl_multi_init, &info) ||
             !dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) ||
             curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        curl_problem = "libcurl cannot be set up";
}

int engine_init(struct engine *engine) { return create_lock(&engine->turn, &engine->is_empty); }

// Serves one request that was taken from the list with these signals.
static void serve(struct engine *engine, struct request *request, int signals) {
    if (request->is_over)
        return;
    if (signals & SIGNAL_CANCEL) {
        request_leave(request);
    } else if (signals & SIGNAL_BEGIN) {
        request->next = engine->active;
        request->link = &engine->active;
        if (request->next)
            request->next->link = &request->next;
        engine->active = request;
        transfer_begin(request);
    } else {
        if (signals & SIGNAL_ROOM) {
            request->waits_for_room = 0;
            transfer_continue(request);
        }
        if ((signals & SIGNAL_SEND) && !request->is_over)
            request->kind->send(request);
    }
    request_end_if_over(request);
}

// Takes leave of all servers; 0 when no request lingers any more.
static int leave_all(struct engine *engine) {
    for (struct request *request = engine->active, *next; request; request = next) {
        next = request->next;
        if (!request->is_over)
            request_leave(request);
        request_end_if_over(request);
    }
    return engine->active != NULL;
}

// Serves all requests with signals; 0 when the thread must end.
static int serve_signals(struct engine *engine) {
    for (;;) {
        pthread_mutex_lock(&engine->turn);
        struct request *request = engine->first;
        int is_open = engine->is_open, signals = 0;
        if (request) {
            engine->first = request->next_signalled;
            if (!engine->first)
                engine->last = NULL;
            signals = request->signals;
            request->signals = 0;
        }
        pthread_mutex_unlock(&engine->turn);
        if (!request)
            return is_open;
        serve(engine, request, is_open ? signals : signals | SIGNAL_CANCEL);
        request_drop(request);
    }
}

static void serve_due(struct engine *engine) {
    int64_t now = monotonic_now();
    if (now < engine->next_due)
        return;
    engine->next_due = INT64_MAX;
    for (struct request *request = engine->active, *next; request; request = next) {
        next = request->next;
        if (request->due <= now)
            transfer_due(request);
        else if (request->due < engine->next_due)
            engine->next_due = request->due;
        request_end_if_over(request);
    }
}

static void serve_done(struct engine *engine) {
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(engine->multi, &left));) {
        struct request *request = NULL;
        // The message is gone once its handle is removed.
        CURLcode code = message->data.result;
        if (message->msg == CURLMSG_DONE &&
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request) == CURLE_OK && request) {
            transfer_done(request, code);
            request_end_if_over(request);
        }
    }
}

// libcurl can do nothing, for want of memory or descriptors. That may pass, so the thread tries again.
static void fail_all(struct engine *engine, CURLMcode code) {
    while (engine->active) {
        if (!engine->active->is_over)
            request_fail(engine->active, CURLE_FAILED_INIT, "libcurl fails: %s", curl_multi_strerror(code));
        request_end(engine->active);
    }
    poll(NULL, 0, 100);
}

static void *run(void *context) {
    struct engine *engine = context;
    for (int is_open; (is_open = serve_signals(engine)) || leave_all(engine);) {
        int running;
        CURLMcode code = curl_multi_perform(engine->multi, &running);
        serve_done(engine);
        // The bytes that have come were taken first, so that no time limit ends a request whose answer is there.
        serve_due(engine);
        // Without a request that lingers, the thread must end.
        int64_t wait = !is_open && !engine->active ? 0 : engine->next_due - monotonic_now();
        int milliseconds = wait <= 0 ? 0 : wait / 1000000 >= INT_MAX ? INT_MAX : (int)(wait / 1000000) + 1;
        if (code == CURLM_OK)
            code = curl_multi_poll(engine->multi, NULL, 0, milliseconds, NULL);
        if (code != CURLM_OK)
            fail_all(engine, code);
    }
    return NULL;
}

int engine_start(struct engine *engine, int32_t most_connections, const char **why) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *why = "libcurl cannot be set up";
    if (pthread_once(&once, set_up_curl))
        return 0;
    if (curl_problem) {
        *why = curl_problem;
        return 0;
    }
    // It stays until the end: a late signal may wake it.
    if (!engine->multi)
        engine->multi = curl_multi_init();
    if (!engine->multi ||
        // A stream that waits for room would hold up the requests that share its connection.
        curl_multi_setopt(engine->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING) != CURLM_OK ||
        curl_multi_setopt(engine->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)most_connections) != CURLM_OK) {
        *why = "libcurl cannot be set up";
        return 0;
    }
    engine->next_due = INT64_MAX;
    pthread_mutex_lock(&engine->turn);
    engine->is_open = 1;
    pthread_mutex_unlock(&engine->turn);
    int error = thread_start(&engine->thread, run, engine);
    if (error) {
        pthread_mutex_lock(&engine->turn);
        engine->is_open = 0;
        pthread_mutex_unlock(&engine->turn);
        *why = "no thread can be started";
    }
    return !error;
}

void engine_stop(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    engine->is_open = 0;
    pthread_mutex_unlock(&engine->turn);
    curl_multi_wakeup(engine->multi);
    pthread_join(engine->thread, NULL);
}

void engine_destroy(struct engine *engine) {
    pthread_mutex_lock(&engine->turn);
    while (engine->requests > 0)
        pthread_cond_wait(&engine->is_empty, &engine->turn);
    pthread_mutex_unlock(&engine->turn);
    curl_multi_cleanup(engine->multi);
    pthread_cond_destroy(&engine->is_empty);
    pthread_mutex_destroy(&engine->turn);
}
