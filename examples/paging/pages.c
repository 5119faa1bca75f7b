/* Loads pages over HTTP with libcurl. The effect returns at once and answers later from a thread of its own.
 * A cancelled call ends at once, wherever it waits.
 */
#include <spinhost/plugin.h>

#include <curl/curl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPIN_PLUGIN("pages", "1.0.0");
SPIN_EMITTER(loaded, (spin_string, body), (int32_t, status));

/* The effect refuses a longer answer. */
enum { LONGEST_BODY = 16 << 20 };

struct transfer {
    spin_call *call;
    CURLM *multi;
    CURL *easy;
    sem_t cancelled;
    char *body;
    size_t size;
    char failure[CURL_ERROR_SIZE];
};

/* The number of running threads: the library must not be unloaded before they end. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_empty = PTHREAD_COND_INITIALIZER;
static int running;

static void count(int change) {
    pthread_mutex_lock(&turn);
    running += change;
    if (running == 0)
        pthread_cond_broadcast(&is_empty);
    pthread_mutex_unlock(&turn);
}

/* The host has cancelled every call before it unloads the library. */
__attribute__((destructor)) static void wait_for_all(void) {
    pthread_mutex_lock(&turn);
    while (running > 0)
        pthread_cond_wait(&is_empty, &turn);
    pthread_mutex_unlock(&turn);
}

static void forget(struct transfer *transfer) {
    if (transfer->multi && transfer->easy)
        curl_multi_remove_handle(transfer->multi, transfer->easy);
    curl_easy_cleanup(transfer->easy);
    curl_multi_cleanup(transfer->multi);
    sem_destroy(&transfer->cancelled);
    free(transfer->body);
    free(transfer);
}

static void cancel(void *context) {
    struct transfer *transfer = context;
    curl_multi_wakeup(transfer->multi);
    sem_post(&transfer->cancelled); /* last: the transfer may be freed from here on */
}

/* Either ending the call answers SPIN_OK, or the host calls `cancel`. In the second case `cancel` must return
 * before the transfer is freed. */
static void await_cancel(struct transfer *transfer) {
    while (sem_wait(&transfer->cancelled))
        ;
}

static size_t take(char *data, size_t unit, size_t units, void *context) {
    struct transfer *transfer = context;
    size_t more = unit * units;
    if (more > LONGEST_BODY - transfer->size) {
        snprintf(transfer->failure, sizeof transfer->failure, "the answer is longer than %d bytes",
                 LONGEST_BODY);
        return CURL_WRITEFUNC_ERROR;
    }
    char *body = realloc(transfer->body, transfer->size + more);
    if (!body && more)
        return CURL_WRITEFUNC_ERROR;
    memcpy(body + transfer->size, data, more);
    transfer->body = body;
    transfer->size += more;
    return more;
}

/* Returns the result of the transfer, or -1 when it was cancelled before. */
static int perform(struct transfer *transfer) {
    int unfinished = 1;
    while (!spin_cancelled(transfer->call)) {
        CURLMcode code = curl_multi_perform(transfer->multi, &unfinished);
        if (code != CURLM_OK)
            return CURLE_FAILED_INIT;
        if (!unfinished) {
            int left;
            return curl_multi_info_read(transfer->multi, &left)->data.result;
        }
        curl_multi_poll(transfer->multi, NULL, 0, 60 * 1000, NULL); /* `cancel` wakes it */
    }
    return -1;
}

static spin_status answer(struct transfer *transfer, int result) {
    if (result != CURLE_OK) {
        const char *reason = transfer->failure[0] ? transfer->failure : curl_easy_strerror((CURLcode)result);
        return spin_fail(transfer->call, -result, reason);
    }
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    spin_string body = {transfer->body ? transfer->body : "", transfer->size};
    if (loaded(transfer->call, body, (int32_t)status) == SPIN_BAD_VALUE)
        return spin_fail(transfer->call, SPIN_BAD_VALUE, "the answer is not UTF-8");
    return spin_finish(transfer->call);
}

static void *run(void *context) {
    struct transfer *transfer = context;
    int result = perform(transfer);
    if (result < 0 || answer(transfer, result) != SPIN_OK)
        await_cancel(transfer);
    forget(transfer);
    count(-1);
    return NULL;
}

static int set_up(struct transfer *transfer, const char *url) {
    transfer->easy = curl_easy_init();
    transfer->multi = curl_multi_init();
    CURL *easy = transfer->easy;
    return easy && transfer->multi && !curl_easy_setopt(easy, CURLOPT_URL, url) &&
           !curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) &&
           !curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L) &&
           !curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
           !curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->failure) &&
           !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take) &&
           !curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer) &&
           !curl_multi_add_handle(transfer->multi, easy);
}

static void set_up_curl(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

static void get(spin_call *call, const char *url) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up_curl);

    struct transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory for a transfer");
        return;
    }
    transfer->call = call;
    sem_init(&transfer->cancelled, 0, 0);
    if (!set_up(transfer, url)) {
        spin_fail(call, SPIN_FAILED, "libcurl cannot be set up");
        forget(transfer);
        return;
    }
    if (spin_on_cancel(call, cancel, transfer) != SPIN_OK) {
        forget(transfer);
        return;
    }
    count(1);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, transfer)) {
        count(-1);
        if (spin_fail(call, SPIN_FAILED, "cannot start a thread") != SPIN_OK)
            await_cancel(transfer);
        forget(transfer);
        return;
    }
    pthread_detach(thread);
}
SPIN_EFFECT(void, get, (spin_call * call, const char *url), "GET of `url`; emits `loaded`.");
