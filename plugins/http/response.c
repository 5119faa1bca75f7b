// What libcurl has heard of a server.
#include "exchange.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { longest_headers = 256 << 10 };

static int is_redirect(const struct request *request) {
    long status = request->status;
    return request->has_location && !request->kind->is_upgrade && request->config->most_redirects > 0 &&
           (status == 301 || status == 302 || status == 303 || status == 307 || status == 308);
}

// The end of the headers of a response.
static void begin(struct request *request) {
    curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &request->status);
    // Another response follows, but not after 101, for which WebSockets ask.
    if (request->status < 200 && request->status != 101)
        return;
    if (is_redirect(request)) {
        request->skips_body = 1;
        if (request->redirects == request->config->most_redirects)
            request_fail(request, CURLE_TOO_MANY_REDIRECTS,
                         "the server has redirected more than %d times (setting `most_redirects`)",
                         (int)request->config->most_redirects);
        return;
    }
    request->has_begun = 1;
    if (!request->kind->is_whole)
        exchange_set_due(request, request->config->idle_timeout);
    request->kind->begin(request);
}

static void status_line(struct request *request, const char *line, size_t size) {
    request->has_location = 0;
    const char *code = memchr(line, ' ', size);
    const char *phrase = code ? memchr(code + 1, ' ', size - (size_t)(code + 1 - line)) : NULL;
    int length = phrase ? (int)(line + size - phrase) : 0;
    // HTTP/2 has none, and only a space stands there.
    snprintf(request->phrase, sizeof request->phrase, "%.*s", length > 1 ? length : 0, phrase ? phrase : "");
    if (request->kind->header)
        request->kind->header(request, (spin_string){0}, (spin_string){0});
}

static void field(struct request *request, const char *line, size_t size) {
    const char *colon = memchr(line, ':', size);
    if (!colon || *line == ' ' || *line == '\t')
        return; // The rest of a folded line, which no server may send any more.
    const char *value = colon + 1, *end = line + size;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    size_t name = (size_t)(colon - line);
    if (name == 8 && strncasecmp(line, "Location", name) == 0)
        request->has_location = 1;
    if (request->kind->header)
        request->kind->header(request, (spin_string){line, name},
                              (spin_string){value, (size_t)(end - value)});
}

size_t exchange_header(char *line, size_t unit, size_t units, void *context) {
    struct request *request = context;
    size_t size = unit * units, trimmed = size;
    if (request->has_begun || request->is_over)
        return request->is_over ? CURL_WRITEFUNC_ERROR : size; // what follows a body does not matter
    request->header_bytes += size;
    if (request->header_bytes > longest_headers) {
        request_fail(request, CURLE_FILESIZE_EXCEEDED, "the headers are larger than %d bytes",
                     longest_headers);
        return CURL_WRITEFUNC_ERROR;
    }
    while (trimmed > 0 && (line[trimmed - 1] == '\n' || line[trimmed - 1] == '\r'))
        trimmed--;
    if (trimmed == 0)
        begin(request);
    else if (trimmed > 5 && memcmp(line, "HTTP/", 5) == 0)
        status_line(request, line, trimmed);
    else
        field(request, line, trimmed);
    return request->is_over && !request->lingers ? CURL_WRITEFUNC_ERROR : size;
}

size_t exchange_body(char *data, size_t unit, size_t units, void *context) {
    struct request *request = context;
    size_t size = unit * units;
    if (request->lingers)
        return size; // nobody wants it any more
    if (request->is_over)
        return CURL_WRITEFUNC_ERROR;
    if (request->waits_for_room)
        return CURL_WRITEFUNC_PAUSE;
    if (request->kind->is_whole || request->skips_body) {
        request->body_bytes += (int64_t)size;
        if (request->body_bytes > request->config->largest_body) {
            request_fail(request, CURLE_FILESIZE_EXCEEDED,
                         "the body is larger than %lld bytes (setting `largest_body`)",
                         (long long)request->config->largest_body);
            return CURL_WRITEFUNC_ERROR;
        }
    }
    if (!request->skips_body) {
        request->heard = monotonic_now();
        request->kind->take(request, data, size);
    }
    return request->is_over && !request->lingers ? CURL_WRITEFUNC_ERROR : size;
}
