#include "regular_expression.h"

#include <algorithm>
#include <mutex>
#include <re2/re2.h>
#include <string>

namespace {

RE2::Options options() {
    RE2::Options options;
    options.set_log_errors(false);
    // The limit of the compiled program and its automata, in bytes. A pattern that needs more is not valid.
    options.set_max_mem(1 << 23);
    return options;
}

re2::StringPiece piece(const char *bytes, size_t size) { return {size == 0 ? "" : bytes, size}; }

// The pattern with `\w` in place of each Unicode class. It is compiled only for its size.
std::string without_unicode_classes(const std::string &pattern) {
    std::string result;
    size_t next = 0;
    while (next < pattern.size()) {
        if (pattern[next] != '\\' || next + 1 == pattern.size()) {
            result += pattern[next++];
        } else if (pattern[next + 1] != 'p' && pattern[next + 1] != 'P') {
            result += pattern.substr(next, 2);
            next += 2;
        } else {
            result += "\\w";
            size_t end = pattern.compare(next + 2, 1, "{") == 0 ? pattern.find('}', next) : next + 2;
            next = end == std::string::npos ? pattern.size() : end + 1;
        }
    }
    return result;
}

} // namespace

struct regular_expression {
    RE2 compiled;
    std::once_flag is_measured;
    int size = 0;

    explicit regular_expression(re2::StringPiece pattern) : compiled(pattern, options()) {}
};

extern "C" {

regular_expression *regular_expression_create(const char *pattern, size_t size) {
    return new regular_expression(piece(pattern, size));
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

int regular_expression_size(regular_expression *expression) {
    std::call_once(expression->is_measured, [expression] {
        RE2::Options bytes = options();
        bytes.set_encoding(RE2::Options::EncodingLatin1);
        RE2 simple(without_unicode_classes(expression->compiled.pattern()), bytes);
        const int whole = expression->compiled.ProgramSize();
        expression->size = simple.ok() ? std::max(simple.ProgramSize(), whole / 16) : whole;
    });
    return expression->size;
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
