// For getaddrinfo_a. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "lookup.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lookup {
    struct gaicb request;
    struct addrinfo hints, *next;
    int has_begun; /* whether `next` is set */
    char host[256], port[6];
};

struct lookup *lookup_begin(const char *host, const char *port) {
    struct lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup)
        return NULL;
    snprintf(lookup->host, sizeof lookup->host, "%s", host);
    snprintf(lookup->port, sizeof lookup->port, "%s", port);
    lookup->hints = (struct addrinfo){.ai_socktype = SOCK_STREAM};
    lookup->request =
        (struct gaicb){.ar_name = lookup->host, .ar_service = lookup->port, .ar_request = &lookup->hints};
    // An address in digits needs no thread.
    struct addrinfo digits = lookup->hints;
    digits.ai_flags = AI_NUMERICHOST;
    if (getaddrinfo(host, port, &digits, &lookup->request.ar_result) == 0)
        return lookup;
    struct gaicb *requests[] = {&lookup->request};
    if (getaddrinfo_a(GAI_NOWAIT, requests, 1, NULL) == 0)
        return lookup;
    free(lookup);
    return NULL;
}

int lookup_state(struct lookup *lookup) { return gai_error(&lookup->request); }

void lookup_explain(struct lookup *lookup, char *reason, size_t size) {
    snprintf(reason, size, "cannot find `%.150s`: %.80s", lookup->host, gai_strerror(lookup_state(lookup)));
}

const struct addrinfo *lookup_next(struct lookup *lookup) {
    lookup->next = lookup->has_begun ? lookup->next->ai_next : lookup->request.ar_result;
    lookup->has_begun = 1;
    return lookup->next;
}

void lookup_end(struct lookup *lookup) {
    if (!lookup)
        return;
    // Without an answer, glibc still writes to this memory. It is given up then, instead of a wait.
    if (gai_error(&lookup->request) == EAI_INPROGRESS && gai_cancel(&lookup->request) == EAI_NOTCANCELED)
        return;
    if (lookup->request.ar_result)
        freeaddrinfo(lookup->request.ar_result);
    free(lookup);
}
