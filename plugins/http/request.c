#include "request.h"
#include "../std/utf8.h"
#include "instance.h"
#include "transfer.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Ends the call: the host will not call `cancel`.
static void release_cancel(struct request *request) {
    if (request->has_cancel)
        request_drop(request); // not the last hold: the thread has one
}

// On any thread of the host.
static void cancel(void *context) {
    request_signal(context, SIGNAL_CANCEL);
    request_drop(context);
}

// On any thread of the host.
static void has_room(void *context) {
    request_signal(context, SIGNAL_ROOM);
    request_drop(context);
}

static int is_order(const struct order *order, struct reason *why) {
    if (!is_method(order->method, why) || !is_url(order->url, why))
        return 0;
    for (size_t i = 0; i < order->headers.count; i++)
        if (!is_header(order->headers.items[i], why))
            return 0;
    if (order->body.size > 0 && strcasecmp(order->method.data, "HEAD") == 0)
        return refuse(why, "a HEAD request has no body");
    return 1;
}

struct request *request_make(spin_call *call, spin_self *self, const struct request_kind *kind,
                             const struct order *order) {
    struct reason why;
    if (!is_order(order, &why)) {
        spin_fail(call, -why.code, why.text);
        return NULL;
    }
    struct request *request = calloc(1, kind->size);
    if (!request) {
        spin_fail(call, -CURLE_OUT_OF_MEMORY, "no memory");
        return NULL;
    }
    request->self = self;
    request->config = self->config;
    request->engine = &self->engine;
    request->call = call;
    request->kind = kind;
    request->due = INT64_MAX;
    atomic_init(&request->holders, 1);
    pthread_mutex_lock(&request->engine->turn);
    request->engine->requests++;
    pthread_mutex_unlock(&request->engine->turn);
    if (!transfer_prepare(request, order)) {
        spin_fail(call, -CURLE_OUT_OF_MEMORY, "no memory");
        request_drop(request);
        return NULL;
    }
    return request;
}

void request_start(struct request *request) {
    atomic_fetch_add(&request->holders, 2); // the thread, and `cancel`
    request->has_cancel = 1;
    if (spin_on_cancel(request->call, cancel, request) == SPIN_OK) {
        request_signal(request, SIGNAL_BEGIN);
    } else { // The call is over.
        request_drop(request);
        request_drop(request);
    }
    request_drop(request);
}

void request_begin(spin_call *call, spin_self *self, const struct request_kind *kind,
                   const struct order *order) {
    struct request *request = request_make(call, self, kind, order);
    if (request)
        request_start(request);
}

void request_signal(struct request *request, int signal) {
    struct engine *engine = request->engine;
    pthread_mutex_lock(&engine->turn);
    // A thread that has not taken the signals before this one takes it with them.
    int wakes = engine->is_open && !engine->first;
    if (engine->is_open) {
        if (!request->signals) {
            atomic_fetch_add(&request->holders, 1);
            request->next_signalled = NULL;
            if (engine->last)
                engine->last->next_signalled = request;
            else
                engine->first = request;
            engine->last = request;
        }
        request->signals |= signal;
    }
    pthread_mutex_unlock(&engine->turn);
    if (wakes)
        curl_multi_wakeup(engine->multi);
}

void request_drop(struct request *request) {
    if (atomic_fetch_sub(&request->holders, 1) != 1)
        return;
    struct engine *engine = request->engine;
    if (request->kind->release)
        request->kind->release(request);
    transfer_free(request);
    free(request);
    pthread_mutex_lock(&engine->turn);
    if (--engine->requests == 0)
        pthread_cond_broadcast(&engine->is_empty);
    pthread_mutex_unlock(&engine->turn);
}

/* What the host takes from a worker at a time. */
enum { largest_emission = 32 << 20 };

int request_continues(struct request *request, spin_status status, size_t size) {
    // A smaller one can be refused for the manifest alone, and then the host has reported it.
    if (status == SPIN_OK || (status == SPIN_BAD_VALUE && size < largest_emission - 4096))
        return 1;
    if (status == SPIN_BAD_VALUE) {
        request_fail(request, CURLE_FILESIZE_EXCEEDED,
                     "the host refuses an answer of %zu bytes; from a worker it takes 32 MiB", size);
        return 0;
    }
    if (status == SPIN_FULL) {
        atomic_fetch_add(&request->holders, 1);
        status = spin_on_room(request->call, has_room, request);
        if (status == SPIN_OK) {
            request->waits_for_room = 1;
            return 0;
        }
        request_drop(request);
    }
    if (status == SPIN_CANCELLED || status == SPIN_STOPPED)
        request->is_over = 1;
    else
        request_fail(request, CURLE_WRITE_ERROR, "the loop's mailbox cannot hold what it emits");
    return 0;
}

void request_finish(struct request *request) {
    request->is_over = 1;
    if (spin_finish(request->call) == SPIN_OK)
        release_cancel(request);
}

void request_fail(struct request *request, int code, const char *format, ...) {
    char url[256], reason[640], text[1024], repaired[sizeof text * UTF8_REPAIRED_GROWTH + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    request_url(request, url, sizeof url);
    if (request->kind->is_upgrade)
        snprintf(text, sizeof text, "%s: %s", url, reason);
    else
        snprintf(text, sizeof text, "%s %s: %s", request->method, url, reason);
    // A server may choose parts of it.
    repaired[utf8_repair(text, strlen(text), repaired)] = 0;
    request->is_over = 1;
    if (spin_fail(request->call, -code, repaired) == SPIN_OK)
        release_cancel(request);
}

void request_end(struct request *request) {
    request->is_over = 1;
    if (request->kind->end)
        request->kind->end(request);
    transfer_free(request);
    if (request->link) {
        *request->link = request->next;
        if (request->next)
            request->next->link = request->link;
        request->link = NULL;
    }
    request_drop(request);
}

void request_leave(struct request *request) {
    request->is_over = 1;
    if (request->kind->leave)
        request->kind->leave(request);
}

void request_end_if_over(struct request *request) {
    if (request->is_over && !request->lingers)
        request_end(request);
}

void request_url(const struct request *request, char *target, size_t capacity) {
    char url[256];
    shown_url(request->url, url, sizeof url);
    // libcurl has `http` for `ws`, and `https` for `wss`.
    int is_socket = request->kind->is_upgrade && strncmp(url, "http", 4) == 0;
    snprintf(target, capacity, "%s%s", is_socket ? "ws" : "", is_socket ? url + 4 : url);
}

void request_set_due(struct request *request, int64_t time) {
    request->due = time;
    if (time < request->engine->next_due)
        request->engine->next_due = time;
}

void request_wait_until(struct request *request, int64_t time) {
    request->is_waiting = 1;
    request_set_due(request, time);
}
