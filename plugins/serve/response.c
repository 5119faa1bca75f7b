#include "response.h"
#include "../common/header.h"
#include <stdio.h>
#include <string.h>

/* The most bytes of the headers of an answer, for which a connection has room. */
enum { most_headers = 16384, header_cost = 64 };

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

static int is_good(int32_t status, int has_body, char *reason) {
    if (status < 200 || status > 599)
        return refuse(reason, "the status must be 200 to 599");
    if ((status == MHD_HTTP_NO_CONTENT || status == MHD_HTTP_NOT_MODIFIED) && has_body)
        return refuse(reason, "an answer with this status has no body");
    return 1;
}

struct MHD_Response *response_with(struct MHD_Response *response, int32_t status, int has_body,
                                   spin_list_string headers, char *reason) {
    if (!response)
        return refuse(reason, "no memory"), NULL;
    size_t size = 0, done = 0;
    if (is_good(status, has_body, reason)) {
        while (done < headers.count && add(response, headers.items[done], &size, reason))
            done++;
        if (done == headers.count)
            return response;
    }
    MHD_destroy_response(response);
    return NULL;
}

struct MHD_Response *response_text(const char *text) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (response)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
    return response;
}

static ssize_t read_nothing(void *context, uint64_t position, char *data, size_t size) {
    (void)context, (void)position, (void)data, (void)size;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

struct MHD_Response *response_not_modified(void) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL);
}

enum MHD_Result response_refuse(struct MHD_Connection *connection, unsigned status, const char *reason) {
    struct MHD_Response *response = response_text(reason);
    if (!response)
        return MHD_NO;
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    if (status == MHD_HTTP_BAD_REQUEST)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}
