#include "regular_expression.h"

#include <re2/re2.h>

namespace {

RE2::Options options() {
    RE2::Options options;
    options.set_log_errors(false);
    // The limit of the compiled program and its automata, in bytes. A pattern that needs more is not valid.
    options.set_max_mem(1 << 23);
    return options;
}

re2::StringPiece piece(const char *bytes, size_t size) { return {size == 0 ? "" : bytes, size}; }

} // namespace

struct regular_expression {
    RE2 compiled;
};

extern "C" {

regular_expression *regular_expression_create(const char *pattern, size_t size) {
    return new regular_expression{RE2(piece(pattern, size), options())};
}

const char *regular_expression_error(const regular_expression *expression) {
    return expression->compiled.ok() ? nullptr : expression->compiled.error().c_str();
}

int regular_expression_finds(const regular_expression *expression, const char *text, size_t size) {
    return RE2::PartialMatch(piece(text, size), expression->compiled) ? 1 : 0;
}

int regular_expression_groups(const regular_expression *expression) {
    return expression->compiled.NumberOfCapturingGroups();
}

int regular_expression_size(const regular_expression *expression) {
    return expression->compiled.ProgramSize();
}

int regular_expression_find(const regular_expression *expression, const char *text, size_t size, size_t start,
                            regular_expression_span *spans, int count) {
    re2::StringPiece parts[10];
    re2::StringPiece whole = piece(text, size);
    if (!expression->compiled.Match(whole, start, size, RE2::UNANCHORED, parts, count))
        return 0;
    for (int index = 0; index < count; index++) {
        const re2::StringPiece &part = parts[index];
        ptrdiff_t begin = part.data() ? part.data() - whole.data() : -1;
        spans[index] = {begin, part.data() ? begin + static_cast<ptrdiff_t>(part.size()) : -1};
    }
    return 1;
}

void regular_expression_destroy(regular_expression *expression) { delete expression; }
}
