// The effect that answers a request.
#include "exchange.h"
#include "head.h"
#include <string.h>
#include <strings.h>

static int is_space(char c) { return c == ' ' || c == '\t'; }

/* The parts of `Name: value`. */
struct header {
    size_t name_size;
    const char *value;
    size_t value_size;
};

static int parse(spin_string text, struct header *header) {
    const char *colon = memchr(text.data, ':', text.size), *end = text.data + text.size;
    if (!colon || !head_is_token(text.data, (size_t)(colon - text.data)))
        return 0;
    header->name_size = (size_t)(colon - text.data);
    header->value = colon + 1;
    while (header->value < end && is_space(*header->value))
        header->value++;
    while (end > header->value && is_space(end[-1]))
        end--;
    header->value_size = (size_t)(end - header->value);
    for (const char *next = header->value; next < end; next++)
        if (((unsigned char)*next < ' ' && *next != '\t') || *next == 127)
            return 0;
    // It has no headers with an empty value.
    return header->value_size > 0;
}

static int is_named(spin_string text, size_t size, const char *name) {
    return size == strlen(name) && strncasecmp(text.data, name, size) == 0;
}

/* The most bytes of the headers of an answer, for which a connection has room. */
enum { most_headers = 16384, header_cost = 64 };

// Adds a header to a response, and counts it; NULL, or why it cannot.
static const char *add(struct MHD_Response *response, spin_string text, size_t *size) {
    struct header header;
    char name[256], value[8192];
    if (!parse(text, &header))
        return "a header must be `Name: value`, without a line break";
    if (is_named(text, header.name_size, "Content-Length") ||
        is_named(text, header.name_size, "Transfer-Encoding") ||
        is_named(text, header.name_size, "Connection"))
        return "the server itself writes `Content-Length`, `Transfer-Encoding` and `Connection`";
    *size += text.size + header_cost;
    if (header.name_size >= sizeof name || header.value_size >= sizeof value || *size > most_headers)
        return "the headers are too long";
    memcpy(name, text.data, header.name_size);
    name[header.name_size] = 0;
    memcpy(value, header.value, header.value_size);
    value[header.value_size] = 0;
    return MHD_add_response_header(response, name, value) == MHD_YES ? NULL : "no memory";
}

// A response, which the caller owns; NULL, and why it cannot be.
static struct MHD_Response *make(int32_t status, spin_list_string headers, spin_bytes body,
                                 const char **why) {
    if (status < 200 || status > 599)
        *why = "the status must be 200 to 599";
    else if ((status == 204 || status == 304) && body.size > 0)
        *why = "an answer with this status has no body";
    if (*why)
        return NULL;
    struct MHD_Response *response =
        status == MHD_HTTP_NOT_MODIFIED
            ? exchange_not_modified()
            : MHD_create_response_from_buffer(body.size, (void *)(uintptr_t)body.data, MHD_RESPMEM_MUST_COPY);
    if (!response)
        *why = "no memory";
    size_t size = 0;
    for (size_t i = 0; response && i < headers.count && !*why; i++)
        *why = add(response, headers.items[i], &size);
    if (!*why)
        return response;
    if (response)
        MHD_destroy_response(response);
    return NULL;
}

static void respond(spin_call *call, spin_self *self, spin_string id, int32_t status,
                    spin_list_string headers, spin_bytes body) {
    const char *why = NULL;
    struct MHD_Response *response = make(status, headers, body, &why);
    if (!response) {
        spin_fail(call, SPIN_BAD_VALUE, why);
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
