#include "head.h"
#include "../common/header.h"
#include <string.h>
#include <strings.h>

/* The most bytes of a head. The memory of a connection has room for it and for the head of an answer. */
enum { most_head = 32768, field_cost = 64 };

static int is_token(const char *text, size_t size) { return size > 0 && token_size(text, size) == size; }

/* What is known of a head. */
struct head {
    size_t size, lengths, encodings;
    int has_other_encoding, has_bad_name;
};

static enum MHD_Result look(void *context, enum MHD_ValueKind kind, const char *name, size_t name_size,
                            const char *value, size_t value_size) {
    struct head *head = context;
    head->size += name_size + value_size + field_cost;
    if (kind != MHD_HEADER_KIND)
        return MHD_YES;
    if (!is_token(name, name_size))
        head->has_bad_name = 1;
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0)
        head->lengths++;
    if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        head->encodings++;
        head->has_other_encoding |= !value || strcasecmp(value, "chunked") != 0;
    }
    return MHD_YES;
}

unsigned head_check(struct MHD_Connection *connection, const char *path, const char *method,
                    const char **reason) {
    struct head head = {.size = strlen(path)};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND, look, &head);
    if (head.size > most_head) {
        *reason = "the head of the request is too large\n";
        return MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE;
    }
    // Where a request ends must not depend on who reads it: a second request could hide in its body.
    int is_clear = head.lengths + head.encodings <= 1 && !head.has_other_encoding;
    if (is_clear && !head.has_bad_name && is_token(method, strlen(method)))
        return 0;
    *reason = "the request is not clear\n";
    return MHD_HTTP_BAD_REQUEST;
}

const char *head_path(const char *url) {
    const char *host = strncasecmp(url, "http://", 7) == 0    ? url + 7
                       : strncasecmp(url, "https://", 8) == 0 ? url + 8
                                                              : NULL;
    if (!host)
        return url;
    const char *path = strchr(host, '/');
    return path ? path : "/";
}

static int digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

size_t head_decode(void *context, struct MHD_Connection *connection, char *text) {
    (void)context, (void)connection;
    char *target = text;
    for (const char *next = text; *next; next++) {
        int high = *next == '%' ? digit(next[1]) : -1;
        int low = high >= 0 ? digit(next[2]) : -1;
        if (low < 0 || high * 16 + low == 0) {
            *target++ = *next;
        } else {
            *target++ = (char)(high * 16 + low);
            next += 2;
        }
    }
    *target = 0;
    return (size_t)(target - text);
}
