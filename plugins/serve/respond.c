// The effect that answers a request.
#include "../common/header.h"
#include "exchange.h"
#include <stdio.h>
#include <string.h>

/* The most bytes of the headers of an answer, for which a connection has room. */
enum { most_headers = 16384, header_cost = 64, most_reason = 256 };

static int is_space(char c) { return c == ' ' || c == '\t'; }

static int refuse(char *reason, const char *text) {
    snprintf(reason, most_reason, "%s", text);
    return 0;
}

// Adds a header to a response, and counts it. Otherwise writes why not.
static int add(struct MHD_Response *response, spin_string text, size_t *size, char *reason) {
    char name[256], value[8192];
    if (!header_is_valid(text, reason, most_reason))
        return 0;
    size_t name_size = token_size(text.data, text.size), begin = name_size + 1, end = text.size;
    // Libmicrohttpd wants no spaces around a value, and no empty one.
    while (begin < end && is_space(text.data[begin]))
        begin++;
    while (end > begin && is_space(text.data[end - 1]))
        end--;
    if (begin == end)
        return refuse(reason, "a header has no value");
    *size += text.size + header_cost;
    if (name_size >= sizeof name || end - begin >= sizeof value || *size > most_headers)
        return refuse(reason, "the headers are too long");
    memcpy(name, text.data, name_size);
    name[name_size] = 0;
    memcpy(value, text.data + begin, end - begin);
    value[end - begin] = 0;
    return MHD_add_response_header(response, name, value) == MHD_YES || refuse(reason, "no memory");
}

static struct MHD_Response *make_body(int32_t status, spin_bytes body) {
    return status == MHD_HTTP_NOT_MODIFIED
               ? exchange_not_modified()
               : MHD_create_response_from_buffer(body.size, (void *)(uintptr_t)body.data,
                                                 MHD_RESPMEM_MUST_COPY);
}

// A response, which the caller owns; NULL, and why it cannot be.
static struct MHD_Response *make(int32_t status, spin_list_string headers, spin_bytes body, char *reason) {
    if (status < 200 || status > 599)
        return refuse(reason, "the status must be 200 to 599"), NULL;
    if ((status == MHD_HTTP_NO_CONTENT || status == MHD_HTTP_NOT_MODIFIED) && body.size > 0)
        return refuse(reason, "an answer with this status has no body"), NULL;
    struct MHD_Response *response = make_body(status, body);
    if (!response)
        return refuse(reason, "no memory"), NULL;
    size_t size = 0, done = 0;
    while (done < headers.count && add(response, headers.items[done], &size, reason))
        done++;
    if (done == headers.count)
        return response;
    MHD_destroy_response(response);
    return NULL;
}

static void respond(spin_call *call, spin_self *self, spin_string id, int32_t status,
                    spin_list_string headers, spin_bytes body) {
    char reason[most_reason];
    struct MHD_Response *response = make(status, headers, body, reason);
    if (!response) {
        spin_fail(call, SPIN_BAD_VALUE, reason);
        return;
    }
    pthread_mutex_lock(&self->turn);
    struct exchange *exchange = exchange_find(self, id);
    if (exchange)
        exchange_answer(exchange, (unsigned)status, response);
    pthread_mutex_unlock(&self->turn);
    if (exchange) {
        spin_finish(call);
        return;
    }
    MHD_destroy_response(response);
    spin_fail(call, SPIN_FAILED,
              "no such request waits: it was answered, has waited too long, or came to another instance");
}
SPIN_EFFECT(void, respond,
            (spin_call *call, spin_self *self, spin_string id, int32_t status, spin_list_string headers,
             spin_bytes body),
            "Answers a request, once. It emits nothing.");
