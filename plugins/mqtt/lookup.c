#include "lookup.h"
#include <stdlib.h>
#include <string.h>

struct lookup {
    struct gaicb request;
    struct addrinfo hints, *next;
    int has_begun; /* whether `next` is set */
    struct place place;
};

struct lookup *lookup_begin(const struct place *place) {
    struct lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup)
        return NULL;
    lookup->place = *place;
    lookup->hints = (struct addrinfo){.ai_socktype = SOCK_STREAM};
    lookup->request = (struct gaicb){
        .ar_name = lookup->place.host, .ar_service = lookup->place.port, .ar_request = &lookup->hints};
    // An address in digits needs no thread.
    struct addrinfo digits = lookup->hints;
    digits.ai_flags = AI_NUMERICHOST;
    if (getaddrinfo(place->host, place->port, &digits, &lookup->request.ar_result) == 0)
        return lookup;
    struct gaicb *requests[] = {&lookup->request};
    if (getaddrinfo_a(GAI_NOWAIT, requests, 1, NULL) == 0)
        return lookup;
    free(lookup);
    return NULL;
}

int lookup_state(struct lookup *lookup) { return gai_error(&lookup->request); }

int lookup_next(struct lookup *lookup, char *address, size_t size) {
    lookup->next = lookup->has_begun ? lookup->next->ai_next : lookup->request.ar_result;
    lookup->has_begun = 1;
    return lookup->next && getnameinfo(lookup->next->ai_addr, lookup->next->ai_addrlen, address,
                                       (socklen_t)size, NULL, 0, NI_NUMERICHOST) == 0;
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
