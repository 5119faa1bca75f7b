// Regular expressions on RE2: matching takes time linear in the text, and memory is bounded, whatever the
// pattern.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A compiled pattern; safe to use from several threads.
typedef struct regular_expression regular_expression;

/// Compiles a pattern in RE2's syntax, UTF-8. The answer is never null and belongs to the caller; when the
/// pattern is not valid, `regular_expression_error` says why.
regular_expression *_Nonnull regular_expression_create(const char *_Nullable pattern, size_t size);

/// Why the pattern is not valid, NUL-terminated, valid as long as the expression; null when it is valid.
const char *_Nullable regular_expression_error(const regular_expression *_Nonnull expression);

/// 1 when the pattern matches a part of the text, else 0. The expression must be valid.
int regular_expression_finds(const regular_expression *_Nonnull expression, const char *_Nullable text,
                             size_t size);

/// Frees the expression.
void regular_expression_destroy(regular_expression *_Nonnull expression);

#ifdef __cplusplus
}
#endif
