// Sets up libcurl for a request.
#include "exchange.h"
#include <stdlib.h>
#include <string.h>

static char *copy(spin_string text) { return strndup(text.data, text.size); }

// Appends a text; 0 for want of memory.
static int add(struct curl_slist **list, const char *text) {
    struct curl_slist *longer = curl_slist_append(*list, text);
    if (longer)
        *list = longer;
    return longer != NULL;
}

// The same for a header that is_header has accepted.
static int append(struct curl_slist **list, const char *header) {
    const char *colon = strchr(header, ':');
    // libcurl takes `Name:` as an order to send no such header, and `Name;` for an empty one.
    char *empty = NULL;
    if (!colon[1 + strspn(colon + 1, " \t")]) {
        empty = strndup(header, (size_t)(colon - header) + 1);
        if (!empty)
            return 0;
        empty[colon - header] = ';';
    }
    int is_added = add(list, empty ? empty : header);
    free(empty);
    return is_added;
}

static int names(const struct order *order, const char *header) {
    for (size_t i = 0; i < order->headers.count; i++)
        if (has_name(header, order->headers.items[i].data))
            return 1;
    return 0;
}

// The caller's headers come in place of those of the settings.
static int collect_headers(struct request *request, const struct order *order) {
    const spin_list_string *settings = &request->config->headers;
    for (size_t i = 0; i < settings->count; i++)
        if (!names(order, settings->items[i].data) && !append(&request->own, settings->items[i].data))
            return 0;
    for (size_t i = 0; i < order->headers.count; i++)
        if (!append(&request->own, order->headers.items[i].data))
            return 0;
    return 1;
}

// Whether a header is for the server of the first URL alone.
static int is_for_one_server(const char *header) {
    static const char *const all[] = {"Authorization", "Proxy-Authorization", "Cookie", "Host"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (has_name(header, all[i]))
            return 1;
    return 0;
}

int exchange_set_headers(struct request *request) {
    curl_slist_free_all(request->sent);
    request->sent = NULL;
    const char *secret = request->config->secret_header.size > 0 ? request->config->secret_header.data : NULL;
    int has_type = 0;
    for (struct curl_slist *own = request->own; own; own = own->next) {
        int is_type = has_name(own->data, "Content-Type");
        if ((request->is_elsewhere && is_for_one_server(own->data)) || (is_type && !request->has_body))
            continue;
        has_type |= is_type;
        // A header of the caller comes in place of the secret one, too.
        if (secret && has_name(secret, own->data))
            secret = NULL;
        if (!add(&request->sent, own->data))
            return 0;
    }
    if (secret && !request->is_elsewhere && !append(&request->sent, secret))
        return 0;
    // libcurl would wait for a word of the server before a long body, and would call a body a form.
    // What goes out on a WebSocket is no body in chunks.
    const char *const without[] = {"Expect:", has_type ? NULL : "Content-Type:",
                                   request->kind->is_upgrade ? "Transfer-Encoding:" : NULL};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (without[i] && !add(&request->sent, without[i]))
            return 0;
    return curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, request->sent) == CURLE_OK;
}

// RFC 9110, 9.2.2: the methods that a client may send again when a connection breaks.
static int is_idempotent(const char *method) {
    static const char *const all[] = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(method, all[i]) == 0)
            return 1;
    return 0;
}

int exchange_set_method(struct request *request) {
    CURL *easy = request->easy;
    const char *method = request->method;
    // libcurl sends a request again when a connection that was free has broken without an answer.
    if (curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, is_idempotent(method) ? 0L : 1L) != CURLE_OK)
        return 0;
    if (strcmp(method, "HEAD") == 0)
        return curl_easy_setopt(easy, CURLOPT_NOBODY, 1L) == CURLE_OK;
    const char *other = strcmp(method, "GET") == 0 && !request->has_body ? NULL : method;
    return curl_easy_setopt(easy, request->has_body ? CURLOPT_POST : CURLOPT_HTTPGET, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, other) == CURLE_OK;
}

static int set_body(struct request *request, spin_bytes body) {
    const char *method = request->method;
    request->has_body = body.size > 0 || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 ||
                        strcmp(method, "PATCH") == 0;
    if (!request->has_body)
        return 1;
    return curl_easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.size) == CURLE_OK &&
           curl_easy_setopt(request->easy, CURLOPT_COPYPOSTFIELDS,
                            body.size ? (const char *)body.data : "") == CURLE_OK;
}

// `ca_file` alone is trusted then: libcurl would add the system's folder of certificates.
static int set_trust(CURL *easy, const spin_config *config) {
    const char *file = config->ca_file.data;
    return config->ca_file.size == 0 || (curl_easy_setopt(easy, CURLOPT_CAINFO, file) == CURLE_OK &&
                                         curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK &&
                                         curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, file) == CURLE_OK &&
                                         curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, NULL) == CURLE_OK);
}

// A proxy of the settings serves all requests, whatever the environment's `no_proxy` says.
static int set_proxy(CURL *easy, const spin_config *config) {
    return config->proxy.size == 0 ||
           (curl_easy_setopt(easy, CURLOPT_PROXY, config->proxy.data) == CURLE_OK &&
            curl_easy_setopt(easy, CURLOPT_NOPROXY, "") == CURLE_OK);
}

int transfer_prepare(struct request *request, const struct order *order) {
    const spin_config *config = request->config;
    CURL *easy = request->easy = curl_easy_init();
    request->method = copy(order->method);
    request->url = copy(order->url);
    return easy && request->method && request->url && collect_headers(request, order) &&
           set_body(request, order->body) && exchange_set_method(request) && exchange_set_headers(request) &&
           curl_easy_setopt(easy, CURLOPT_URL, request->url) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PRIVATE, request) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, request->error) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, exchange_header) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERDATA, request) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, exchange_body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, request) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           // To remove a handle must not wait for the lookup of a name.
           curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L) == CURLE_OK &&
           // A stream may have to wait for room, and libcurl would keep what it has decompressed.
           curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, request->kind->is_whole ? "" : NULL) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERAGENT, config->user_agent.data) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                            (long)((config->connect_timeout + 999999) / 1000000)) == CURLE_OK &&
           set_trust(easy, config) && set_proxy(easy, config);
}

int transfer_set_header(struct request *request, const char *header) {
    struct curl_slist *list = NULL;
    int is_set = 1;
    for (struct curl_slist *own = request->own; own && is_set; own = own->next)
        is_set = has_name(own->data, header) || add(&list, own->data);
    if (!is_set || !append(&list, header)) {
        curl_slist_free_all(list);
        return 0;
    }
    curl_slist_free_all(request->own);
    request->own = list;
    return exchange_set_headers(request);
}
