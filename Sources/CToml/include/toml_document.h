// Parses TOML 1.0 with toml++ and keeps the position of every key and value. No input causes an exception, an
// abort or unbounded recursion.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of nodes.
enum {
    TOML_TABLE,
    TOML_ARRAY,
    TOML_STRING,
    TOML_INTEGER,
    TOML_FLOAT,
    TOML_BOOLEAN,
    TOML_DATE /* date, time, or both; its text is in `text` */
};

/// A position: line and column, both from 1. A column is a Unicode code point. A byte order mark has no
/// column.
typedef struct toml_position {
    uint32_t line;
    uint32_t column;
} toml_position;

/// Bytes, UTF-8, not NUL-terminated; they may contain NUL.
typedef struct toml_text {
    const char *bytes;
    size_t size;
} toml_text;

/// A node of the tree. Nodes are in depth-first order: first the node, then everything that it contains, in
/// source order.
typedef struct toml_node {
    /* TOML_TABLE or another kind. */
    int32_t kind;
    /* 1 for a table written `{ … }`, else 0. */
    int32_t is_inline;
    /* The number of nodes inside this one, at any depth; they follow it directly. */
    size_t descendants;
    /* Empty for the root and for elements of arrays. */
    toml_text key;
    toml_position key_begin, key_end;
    /* The characters of the value; for a table with a header, those of the header. `end` is exclusive. */
    toml_position begin, end;
    /* TOML_INTEGER; TOML_BOOLEAN as 0 or 1. */
    int64_t integer;
    /* TOML_FLOAT. */
    double number;
    /* TOML_STRING, with resolved escapes; TOML_DATE. */
    toml_text text;
} toml_node;

/// The result of `toml_document_parse`.
typedef struct toml_document toml_document;

/// Parses `size` bytes, which are borrowed for the call. Returns NULL only when memory is short. The caller
/// owns the result and must pass it to `toml_document_destroy`.
toml_document *toml_document_parse(const char *bytes, size_t size);

/// Frees a document with its nodes and texts. `document` may be NULL.
void toml_document_destroy(toml_document *document);

/// The nodes, the root table first; `*count` is 0 after an error. Valid until the document is destroyed.
const toml_node *toml_document_nodes(const toml_document *document, size_t *count);

/// The error message of toml++ and its position; an empty text for valid TOML. Valid until the document is
/// destroyed.
toml_text toml_document_error(const toml_document *document, toml_position *position);

#ifdef __cplusplus
}
#endif
