// The requests of a link, in their order.
#include "link.h"
#include "../instance.h"

void link_add(struct link *link, struct request *request) {
    request->next = NULL;
    *link->last = request;
    link->last = &request->next;
    if (link->first == request) {
        // From now on the server is asked.
        link->active = spin_monotonic();
        instance_come(link->self, link->active + link_longest_silence(link));
    }
}

void link_add_first(struct link *link, struct request *first, struct request *last) {
    last->next = link->first;
    if (!link->first)
        link->last = &last->next;
    link->first = first;
    link->sends = &link->first;
}

struct request *link_remove(struct link *link) {
    struct request *request = link->first;
    if (!request)
        return NULL;
    link->first = request->next;
    if (link->last == &request->next)
        link->last = &link->first;
    if (link->sends == &request->next)
        link->sends = &link->first;
    return request;
}

struct request *link_asked(const struct link *link) {
    struct request *first = link->first;
    return first && first->done == first->size ? first : NULL;
}

int64_t link_longest_silence(const struct link *link) {
    const spin_config *config = link->self->config;
    return link->first ? config->answer_timeout + link->first->patience : config->keep_alive;
}
