// `get`, `post` and `request`: one request, one answer.
#include "../std/utf8.h"
#include "transfer.h"
#include <stdlib.h>
#include <string.h>

SPIN_RECORD(http_header, (spin_string, name), (spin_string, value));
SPIN_EMITTER(received, (int32_t, status), (spin_string, body));
SPIN_EMITTER(answered, (int32_t, status), (spin_list_http_header, headers), (spin_bytes, body));

struct answer {
    struct request request;
    struct pieces body;
    /* The names and values of the headers, each with a NUL. */
    struct pieces fields;
    size_t field_count;
};

static void no_memory(struct request *request) { request_fail(request, CURLE_OUT_OF_MEMORY, "no memory"); }

static void take(struct request *request, const char *data, size_t size) {
    if (!pieces_add(&((struct answer *)request)->body, data, size))
        no_memory(request);
}

static void release(struct request *request) {
    struct answer *answer = (struct answer *)request;
    pieces_free(&answer->body);
    pieces_free(&answer->fields);
}

// Ends the call when the loop has the answer.
static void finish(struct request *request, spin_status status) {
    if (request_continues(request, status, pieces_size(&((struct answer *)request)->body)))
        request_finish(request);
}

// MARK: Text

static void emit_text(struct request *request) {
    struct answer *answer = (struct answer *)request;
    spin_string body = {answer->body.data ? answer->body.data : "", pieces_size(&answer->body)};
    if (utf8_valid(body.data, body.size) != body.size)
        request_fail(request, CURLE_BAD_CONTENT_ENCODING, "the body is not UTF-8; `request` takes any bytes");
    else
        finish(request, spin_wait_received(request->call, (int32_t)request->status, body, 0));
}

static const struct request_kind text_kind = {.size = sizeof(struct answer),
                                              .is_whole = 1,
                                              .begin = transfer_require_success,
                                              .take = take,
                                              .emit = emit_text,
                                              .release = release};

static const spin_string get_method = {"GET", 3}, post_method = {"POST", 4};

static void get(spin_call *call, spin_self *self, spin_string url) {
    struct order order = {.method = get_method, .url = url};
    request_begin(call, self, &text_kind, &order);
}
SPIN_EFFECT(void, get, (spin_call *call, spin_self *self, spin_string url),
            "Gets a text: emits `received` with a status of 200 to 299. Fails for another status, and for a body "
            "that is not UTF-8.");

static void post(spin_call *call, spin_self *self, spin_string url, spin_string type, spin_string body) {
    static const char name[] = "Content-Type: ";
    char header[sizeof name + 256];
    if (type.size > 255 || memchr(type.data, 0, type.size)) {
        spin_fail(call, -CURLE_BAD_FUNCTION_ARGUMENT, "the type of the body is not one such as `text/plain`");
        return;
    }
    memcpy(header, name, sizeof name - 1);
    memcpy(header + sizeof name - 1, type.data, type.size);
    header[sizeof name - 1 + type.size] = 0;
    spin_string headers[] = {{header, sizeof name - 1 + type.size}};
    struct order order = {.method = post_method,
                          .url = url,
                          .headers = {headers, 1},
                          .body = {(const uint8_t *)body.data, body.size}};
    request_begin(call, self, &text_kind, &order);
}
SPIN_EFFECT(void, post,
            (spin_call *call, spin_self *self, spin_string url, spin_string type, spin_string body),
            "Posts a body of this type, such as `application/json`: emits `received`. Fails like get.");

// MARK: Everything

static void begin(struct request *request) { (void)request; }

static void header(struct request *request, spin_string name, spin_string value) {
    struct answer *answer = (struct answer *)request;
    if (name.size == 0) {
        pieces_clear(&answer->fields);
        answer->field_count = 0;
        return;
    }
    char *repaired = malloc((name.size + value.size) * UTF8_REPAIRED_GROWTH + 2);
    if (!repaired) {
        no_memory(request);
        return;
    }
    // Names are compared in small letters; values are text, whatever a server sends.
    size_t size = utf8_repair(name.data, name.size, repaired);
    for (size_t i = 0; i < size; i++)
        if (repaired[i] >= 'A' && repaired[i] <= 'Z')
            repaired[i] += 'a' - 'A';
    repaired[size++] = 0;
    size += utf8_repair(value.data, value.size, repaired + size);
    repaired[size++] = 0;
    if (pieces_add(&answer->fields, repaired, size))
        answer->field_count++;
    else
        no_memory(request);
    free(repaired);
}

static void emit_all(struct request *request) {
    struct answer *answer = (struct answer *)request;
    http_header *headers = calloc(answer->field_count + 1, sizeof *headers);
    if (!headers) {
        no_memory(request);
        return;
    }
    const char *text = answer->fields.data;
    for (size_t i = 0; i < answer->field_count; i++) {
        headers[i].name = (spin_string){text, strlen(text)};
        text += headers[i].name.size + 1;
        headers[i].value = (spin_string){text, strlen(text)};
        text += headers[i].value.size + 1;
    }
    spin_list_http_header list = {headers, answer->field_count};
    spin_bytes body = {(const uint8_t *)answer->body.data, pieces_size(&answer->body)};
    spin_status status = spin_wait_answered(request->call, (int32_t)request->status, list, body, 0);
    free(headers);
    finish(request, status);
}

static const struct request_kind all_kind = {.size = sizeof(struct answer),
                                             .is_whole = 1,
                                             .begin = begin,
                                             .header = header,
                                             .take = take,
                                             .emit = emit_all,
                                             .release = release};

static void request(spin_call *call, spin_self *self, spin_string method, spin_string url,
                    spin_list_string headers, spin_bytes body) {
    struct order order = {.method = method, .url = url, .headers = headers, .body = body};
    request_begin(call, self, &all_kind, &order);
}
SPIN_EFFECT(void, request,
            (spin_call *call, spin_self *self, spin_string method, spin_string url, spin_list_string headers,
             spin_bytes body),
            "Makes any request, with headers such as `Accept: text/plain`: emits `answered` with any status, the "
            "headers and the body.");
