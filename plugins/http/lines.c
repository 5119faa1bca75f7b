// `lines`: a body as lines, while it comes.
#include "transfer.h"

SPIN_EMITTER(line, (spin_string, text));
SPIN_EMITTER(ended, (int64_t, lines));

struct lines {
    struct request request;
    struct pieces pieces;
    spin_string line; /* the one that waits for room */
    int has_line;
    int64_t count;
};

static void too_long(struct lines *lines) {
    request_fail(&lines->request, CURLE_FILESIZE_EXCEEDED,
                 "line %lld is longer than %lld bytes (setting `largest_body`)", (long long)lines->count + 1,
                 (long long)lines->request.config->largest_body);
}

// The next line, which was not emitted yet; 0 without one.
static int next(struct lines *lines) {
    if (lines->has_line)
        return 1;
    enum piece_found found = pieces_line(&lines->pieces, &lines->line);
    if (found == PIECE_NONE && lines->request.has_ended)
        found = pieces_rest(&lines->pieces, &lines->line);
    if (found == PIECE_NO_MEMORY)
        request_fail(&lines->request, CURLE_OUT_OF_MEMORY, "no memory");
    if (found == PIECE_FOUND && (long long)lines->line.size > lines->request.config->largest_body)
        too_long(lines);
    lines->has_line = found == PIECE_FOUND && !lines->request.is_over;
    return lines->has_line;
}

static void emit(struct request *request) {
    struct lines *lines = (struct lines *)request;
    while (next(lines)) {
        if (!request_continues(request, spin_wait_line(request->call, lines->line, 0), lines->line.size))
            return;
        lines->has_line = 0;
        lines->count++;
    }
    if (request->has_ended && !request->is_over &&
        request_continues(request, spin_wait_ended(request->call, lines->count, 0), 0))
        request_finish(request);
}

static void take(struct request *request, const char *data, size_t size) {
    struct lines *lines = (struct lines *)request;
    long long limit = request->config->largest_body;
    if (!pieces_add(&lines->pieces, data, size))
        request_fail(request, CURLE_OUT_OF_MEMORY, "no memory");
    else
        emit(request);
    if (!request->is_over && !request->waits_for_room && (long long)pieces_size(&lines->pieces) > limit)
        too_long(lines);
}

static void release(struct request *request) { pieces_free(&((struct lines *)request)->pieces); }

static const struct request_kind kind = {.size = sizeof(struct lines),
                                         .begin = transfer_require_success,
                                         .take = take,
                                         .emit = emit,
                                         .release = release};

static void lines(spin_call *call, spin_self *self, spin_string method, spin_string url,
                  spin_list_string headers, spin_bytes body) {
    struct order order = {.method = method, .url = url, .headers = headers, .body = body};
    request_begin(call, self, &kind, &order);
}
SPIN_EFFECT(void, lines,
            (spin_call *call, spin_self *self, spin_string method, spin_string url, spin_list_string headers,
             spin_bytes body),
            "Makes a request and reads its answer as lines: emits `line` for each line when it comes, then `ended` "
            "with their number. Waits while the loop has no room.");
