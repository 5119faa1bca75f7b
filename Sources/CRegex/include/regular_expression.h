// Regular expressions with RE2. For every pattern, matching takes time linear in the text, and memory is
// bounded.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A compiled pattern. Several threads may use it at the same time.
typedef struct regular_expression regular_expression;

/// Compiles a UTF-8 pattern in RE2's syntax. The result is never null, and the caller must pass it to
/// `regular_expression_destroy`. For an invalid pattern, `regular_expression_error` returns the reason.
regular_expression *_Nonnull regular_expression_create(const char *_Nullable pattern, size_t size);

/// The reason why the pattern is not valid; null for a valid pattern. The NUL-terminated text lives as long
/// as the expression.
const char *_Nullable regular_expression_error(const regular_expression *_Nonnull expression);

/// Returns 1 if the pattern matches a part of the text, else 0. The pattern must be valid.
int regular_expression_finds(const regular_expression *_Nonnull expression, const char *_Nullable text,
                             size_t size);

/// The number of groups in parentheses that capture, without the whole match. The pattern must be valid.
int regular_expression_groups(const regular_expression *_Nonnull expression);

/// A measure of the compiled pattern. The time that the slowest search takes for a byte grows with it: the number of
/// instructions, if each character were one byte, but at least a sixteenth of the real one. A class such as `\p{L}` has a
/// thousand instructions in UTF-8, of which a byte of the text seldom needs more than a few. The first call compiles the
/// pattern once more. The pattern must be valid.
int regular_expression_size(regular_expression *_Nonnull expression);

/// A part of the text that matches, or that a group captures. Both are -1 for a group that captures nothing.
typedef struct {
    ptrdiff_t start;
    ptrdiff_t end;
} regular_expression_span;

/// Finds the first match that begins at or after `start`. `^` and `\b` see the text before it. Returns 1 and
/// writes the whole match and the first groups to `spans`, or returns 0. The pattern must be valid, with at
/// least `count - 1` groups, and `count` is at most 10.
int regular_expression_find(const regular_expression *_Nonnull expression, const char *_Nullable text,
                            size_t size, size_t start, regular_expression_span *_Nonnull spans, int count);

/// Frees the expression.
void regular_expression_destroy(regular_expression *_Nonnull expression);

#ifdef __cplusplus
}
#endif
