#include "outbox.h"
#include "../instance.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char is_closed[] = "the connection is closed";

int outbox_open(struct outbox *outbox, struct request *request) {
    struct outboxes *all = &request->self->outboxes;
    uint64_t nonce;
    if (getrandom(&nonce, sizeof nonce, 0) != sizeof nonce)
        return 0;
    pthread_mutex_lock(&all->turn);
    outbox->request = request;
    outbox->first = NULL;
    outbox->last = &outbox->first;
    outbox->unsent = 0;
    if (all->count++ == 0)
        all->nonce = nonce;
    snprintf(outbox->name, sizeof outbox->name, "%016llx-%llu", (unsigned long long)all->nonce,
             (unsigned long long)all->count);
    outbox->next = all->first;
    all->first = outbox;
    pthread_mutex_unlock(&all->turn);
    return 1;
}

static void drop(struct parcel *parcel) {
    if (atomic_fetch_sub(&parcel->holders, 1) != 1)
        return;
    request_drop(parcel->request);
    free(parcel);
}

// Ends the call of a parcel that is in no outbox any more.
static void end(struct parcel *parcel, int code, const char *reason) {
    spin_status status = reason ? spin_fail(parcel->call, -code, reason) : spin_finish(parcel->call);
    if (status == SPIN_OK)
        drop(parcel); // The host will not call `cancel`.
    drop(parcel);
}

int outbox_close(struct outbox *outbox) {
    if (!outbox->name[0])
        return 0;
    struct outboxes *all = &outbox->request->self->outboxes;
    pthread_mutex_lock(&all->turn);
    struct outbox **link = &all->first;
    while (*link != outbox)
        link = &(*link)->next;
    *link = outbox->next;
    outbox->name[0] = 0;
    struct parcel *first = outbox->first;
    for (struct parcel *parcel = first; parcel; parcel = parcel->next)
        parcel->outbox = NULL;
    pthread_mutex_unlock(&all->turn);
    int has_close = 0;
    while (first) {
        struct parcel *next = first->next;
        int is_close = first->kind == MESSAGE_CLOSED;
        has_close |= is_close;
        end(first, CURLE_SEND_ERROR, is_close ? NULL : is_closed);
        first = next;
    }
    return has_close;
}

// How much of the limit a message takes. An empty one takes memory, too.
static int64_t weight(const struct parcel *parcel) { return (int64_t)parcel->size + 1; }

// Takes out what `link` points to, under the lock.
static struct parcel *take(struct outbox *outbox, struct parcel **link) {
    struct parcel *parcel = *link;
    *link = parcel->next;
    if (!*link)
        outbox->last = link;
    parcel->outbox = NULL;
    return parcel;
}

struct parcel *outbox_take(struct outbox *outbox) {
    struct outboxes *all = &outbox->request->self->outboxes;
    pthread_mutex_lock(&all->turn);
    struct parcel *parcel = outbox->name[0] && outbox->first ? take(outbox, &outbox->first) : NULL;
    pthread_mutex_unlock(&all->turn);
    return parcel;
}

void outbox_end(struct outbox *outbox, struct parcel *parcel, const char *reason) {
    struct outboxes *all = &outbox->request->self->outboxes;
    pthread_mutex_lock(&all->turn);
    outbox->unsent -= weight(parcel);
    pthread_mutex_unlock(&all->turn);
    end(parcel, CURLE_SEND_ERROR, reason);
}

// On any thread of the host.
static void cancel(void *context) {
    struct parcel *parcel = context;
    struct outboxes *all = &parcel->request->self->outboxes;
    pthread_mutex_lock(&all->turn);
    parcel->is_cancelled = 1;
    struct outbox *outbox = parcel->outbox;
    if (outbox) {
        struct parcel **link = &outbox->first;
        while (*link != parcel)
            link = &(*link)->next;
        take(outbox, link);
        outbox->unsent -= weight(parcel);
    }
    pthread_mutex_unlock(&all->turn);
    if (outbox)
        drop(parcel);
    drop(parcel);
}

static int has_this_name(const struct outbox *outbox, spin_string name) {
    return strlen(outbox->name) == name.size && memcmp(outbox->name, name.data, name.size) == 0;
}

// Finds a connection and its request, which the caller holds then; NULL without one.
static struct outbox *find(struct outboxes *all, spin_string name, struct request **request) {
    pthread_mutex_lock(&all->turn);
    struct outbox *outbox = all->first;
    while (outbox && !has_this_name(outbox, name))
        outbox = outbox->next;
    if (outbox) {
        *request = outbox->request;
        atomic_fetch_add(&outbox->request->holders, 1);
    }
    pthread_mutex_unlock(&all->turn);
    return outbox;
}

// Adds a parcel. Otherwise the code of the failure, or 0 for a parcel that is cancelled.
static int add(struct outbox *outbox, spin_string name, struct parcel *parcel, int *is_added) {
    struct outboxes *all = &parcel->request->self->outboxes;
    int64_t most = parcel->request->config->most_unsent;
    int code = 0;
    pthread_mutex_lock(&all->turn);
    *is_added = 0;
    // The connection may have been lost meanwhile, and there may be another one.
    if (!has_this_name(outbox, name))
        code = CURLE_SEND_ERROR;
    else if ((int64_t)parcel->size > most - outbox->unsent)
        code = CURLE_FILESIZE_EXCEEDED;
    else if (!parcel->is_cancelled) {
        *is_added = 1;
        parcel->outbox = outbox;
        *outbox->last = parcel;
        outbox->last = &parcel->next;
        outbox->unsent += weight(parcel);
    }
    pthread_mutex_unlock(&all->turn);
    return code;
}

// Gives a parcel to the engine's thread, or ends its call.
static void send_or_end(struct outbox *outbox, spin_string name, struct parcel *parcel) {
    struct request *request = parcel->request;
    int is_added, code = add(outbox, name, parcel, &is_added);
    if (is_added)
        request_signal(request, SIGNAL_SEND);
    else if (code != 0)
        end(parcel, code,
            code == CURLE_SEND_ERROR
                ? is_closed
                : "more bytes would wait to be sent than the setting `most_unsent` says");
    else
        drop(parcel);
}

void outboxes_send(spin_call *call, spin_self *self, spin_string name, enum message_kind kind, uint16_t code,
                   const char *data, size_t size) {
    struct request *request;
    struct outbox *outbox = find(&self->outboxes, name, &request);
    if (!outbox) {
        spin_fail(call, -CURLE_SEND_ERROR, is_closed);
        return;
    }
    struct parcel *parcel = calloc(1, sizeof *parcel + size + 1);
    if (!parcel) {
        spin_fail(call, -CURLE_OUT_OF_MEMORY, "no memory");
        request_drop(request);
        return;
    }
    atomic_fetch_add(&request->holders, 1);
    parcel->request = request;
    parcel->call = call;
    parcel->kind = kind;
    parcel->code = code;
    parcel->size = size;
    if (size > 0)
        memcpy(parcel->data, data, size);
    atomic_init(&parcel->holders, 2); // the outbox, and `cancel`
    if (spin_on_cancel(call, cancel, parcel) == SPIN_OK) {
        send_or_end(outbox, name, parcel);
    } else { // The call is over.
        drop(parcel);
        drop(parcel);
    }
    request_drop(request);
}
