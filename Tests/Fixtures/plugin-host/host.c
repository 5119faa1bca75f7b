#include "host.h"
#include "log.h"
#include "polls.h"
#include "work.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_calls = 4096 };

struct spin_call {
    char key[32], text[4096];
    char shown[4096]; /* a copy for the test, as the plugin may emit meanwhile */
    size_t size;
    spin_status over;     /* SPIN_OK while the call lasts */
    int room, later_room; /* later_room: what there will be once a function waits for it, or 0 */
    int faults;           /* so many further emissions become no event */
    void (*cancelled)(void *context), (*has_room)(void *context);
    void *cancel_context, *room_context;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static spin_call calls[most_calls];
static int call_count;

void expect(const char *name, const char *found, const char *expected) {
    if (strcmp(found, expected) == 0)
        return;
    fprintf(stderr, "%s\nfound:\n%s\nexpected:\n%s\n", name, found, expected);
    exit(1);
}

void check(const char *name, int holds) { expect(name, holds ? "holds" : "does not hold", "holds"); }

void host_note(spin_call *call, const char *text, size_t size) {
    check("the transcript has room", call->size + size < sizeof call->text);
    memcpy(call->text + call->size, text, size);
    call->size += size;
    pthread_cond_broadcast(&changed);
}

static spin_status emit_wait(spin_call *call, const spin_emitter *emitter, const void *payload,
                             spin_duration timeout) {
    check("the thread of the plugin does not wait", timeout == 0 || plugin_waits);
    pthread_mutex_lock(&turn);
    while (timeout != 0 && !call->over && call->room == 0)
        pthread_cond_wait(&changed, &turn);
    check("nothing is emitted after the plugin has ended the call", call->over != SPIN_STOPPED);
    spin_status status = call->over ? call->over : call->room == 0 ? SPIN_FULL : SPIN_OK;
    if (status == SPIN_OK && call->faults > 0) {
        call->faults--;
        status = SPIN_BAD_VALUE;
    } else if (status == SPIN_OK) {
        call->room -= call->room > 0;
        host_render(call, emitter, payload);
    }
    pthread_mutex_unlock(&turn);
    return status;
}

static spin_status emit(spin_call *call, const spin_emitter *emitter, const void *payload) {
    return emit_wait(call, emitter, payload, 0);
}

/* Ends a call, and calls its functions: that for its cancellation only if it was cancelled. */
static spin_status end(spin_call *call, spin_status why, const char *text, spin_status code) {
    void (*cancelled)(void *) = NULL, (*has_room)(void *) = NULL;
    pthread_mutex_lock(&turn);
    spin_status status = call->over;
    if (status == SPIN_OK) {
        call->over = why;
        if (text) {
            char number[16];
            snprintf(number, sizeof number, "%d ", code);
            host_note(call, number, strlen(number));
            host_note(call, text, strlen(text));
        }
        cancelled = why == SPIN_CANCELLED ? call->cancelled : NULL;
        has_room = call->has_room;
        call->has_room = NULL;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&turn);
    if (status == SPIN_OK)
        polls_end(call);
    if (cancelled)
        cancelled(call->cancel_context);
    if (has_room)
        has_room(call->room_context);
    return status;
}

static spin_status finish(spin_call *call) { return end(call, SPIN_STOPPED, NULL, 0); }

static spin_status fail(spin_call *call, spin_status code, const char *text) {
    return end(call, SPIN_STOPPED, text, code);
}

void host_set_faults(spin_call *call, int faults) {
    pthread_mutex_lock(&turn);
    call->faults = faults;
    pthread_mutex_unlock(&turn);
}

void host_cancel(spin_call *call) { end(call, SPIN_CANCELLED, NULL, 0); }

static int32_t is_cancelled(spin_call *call) {
    pthread_mutex_lock(&turn);
    int over = call->over != SPIN_OK;
    pthread_mutex_unlock(&turn);
    return over;
}

static spin_status on_cancel(spin_call *call, void (*function)(void *context), void *context) {
    pthread_mutex_lock(&turn);
    spin_status status = call->over;
    if (status == SPIN_OK) {
        call->cancelled = function;
        call->cancel_context = context;
    }
    pthread_mutex_unlock(&turn);
    return status;
}

static spin_status on_room(const spin_host *host, spin_call *call, void (*function)(void *context),
                           void *context) {
    (void)host;
    pthread_mutex_lock(&turn);
    spin_status status = call->over ? call->over : call->has_room ? SPIN_FULL : SPIN_OK;
    int is_at_once = status == SPIN_OK && call->later_room != 0;
    if (is_at_once) {
        call->room = call->later_room;
        call->later_room = 0;
    } else if (status == SPIN_OK) {
        call->has_room = function;
        call->room_context = context;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&turn);
    if (is_at_once)
        function(context);
    return status;
}

static spin_status run_key(const spin_host *host, spin_call *call, char *to, size_t capacity) {
    (void)host;
    pthread_mutex_lock(&turn);
    spin_status over = call->over;
    pthread_mutex_unlock(&turn);
    if (over == SPIN_OK)
        snprintf(to, capacity, "%s", call->key);
    return over;
}

static uint32_t run_attempt(const spin_host *host, spin_call *call) {
    uint32_t attempt = 0;
    (void)host;
    pthread_mutex_lock(&turn);
    for (const spin_call *other = calls; other <= call; other++)
        attempt += strcmp(other->key, call->key) == 0;
    pthread_mutex_unlock(&turn);
    return attempt;
}

static const void *service(const spin_host *host, const char *id) {
    static const spin_room_service room = {sizeof room, 0, on_room};
    static const spin_run_service run = {sizeof run, 0, run_key, run_attempt};
    (void)host;
    return strcmp(id, SPIN_ROOM_SERVICE) == 0   ? (const void *)&room
           : strcmp(id, SPIN_RUN_SERVICE) == 0  ? (const void *)&run
           : strcmp(id, SPIN_LOG_SERVICE) == 0  ? log_service()
           : strcmp(id, SPIN_WORK_SERVICE) == 0 ? work_service()
                                                : polls_service(id);
}

static int64_t deadline(spin_call *call) {
    (void)call;
    return INT64_MAX;
}

const spin_host test_host = {
    sizeof test_host, SPIN_ABI_MAJOR, 0,       0,         1,       NULL, emit, finish, fail,
    is_cancelled,     on_cancel,      service, emit_wait, deadline};

spin_call *host_call(const char *key) {
    pthread_mutex_lock(&turn);
    check("there are calls left", call_count < most_calls);
    spin_call *call = &calls[call_count++];
    snprintf(call->key, sizeof call->key, "%s", key);
    call->room = -1;
    pthread_mutex_unlock(&turn);
    return call;
}

void host_set_room(spin_call *call, int room) {
    pthread_mutex_lock(&turn);
    void (*has_room)(void *) = call->has_room;
    call->has_room = NULL;
    call->room = room;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
    if (has_room)
        has_room(call->room_context);
}

void host_set_room_later(spin_call *call, int room) {
    pthread_mutex_lock(&turn);
    call->later_room = room;
    pthread_mutex_unlock(&turn);
}

void host_await_room(spin_call *call) {
    pthread_mutex_lock(&turn);
    while (!call->has_room)
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
}

const char *host_ended(spin_call *call) {
    pthread_mutex_lock(&turn);
    while (call->over == SPIN_OK)
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
    return call->text;
}

const char *host_await(spin_call *call, const char *last) {
    size_t size = strlen(last);
    pthread_mutex_lock(&turn);
    while (call->over == SPIN_OK &&
           (call->size < size || memcmp(call->text + call->size - size, last, size) != 0))
        pthread_cond_wait(&changed, &turn);
    memcpy(call->shown, call->text, sizeof call->shown);
    pthread_mutex_unlock(&turn);
    return call->shown;
}
