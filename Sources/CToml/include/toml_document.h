// TOML 1.0 with the place of every key and value, on toml++. No exception, no abort and no endless recursion
// comes of any input.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a node is.
enum {
    TOML_TABLE,
    TOML_ARRAY,
    TOML_STRING,
    TOML_INTEGER,
    TOML_FLOAT,
    TOML_BOOLEAN,
    TOML_DATE /* date, time, or both; its text is in `text` */
};

/// A place: line and column from 1, columns in Unicode code points; a byte order mark is none.
typedef struct toml_place {
    uint32_t line;
    uint32_t column;
} toml_place;

/// Bytes, UTF-8, not NUL-terminated; they may contain NUL.
typedef struct toml_text {
    const char *bytes;
    size_t size;
} toml_text;

/// A node of the tree. The nodes are in depth-first order: a node, then all that it contains, in source
/// order.
typedef struct toml_node {
    /* TOML_TABLE … */
    int32_t kind;
    /* 1 for a table written `{ … }`, else 0. */
    int32_t is_inline;
    /* How many nodes follow that lie in this one, at any depth. */
    size_t descendants;
    /* Empty for the root and for elements of arrays. */
    toml_text key;
    toml_place key_begin, key_end;
    /* The value, or the header of a table that has one. `end` is one past the last character. */
    toml_place begin, end;
    /* TOML_INTEGER; TOML_BOOLEAN as 0 or 1. */
    int64_t integer;
    /* TOML_FLOAT. */
    double number;
    /* TOML_STRING, escapes resolved; TOML_DATE. */
    toml_text text;
} toml_node;

/// The answer of `toml_document_parse`.
typedef struct toml_document toml_document;

/// Parses `size` bytes, which are borrowed for the call. NULL only when memory is short. Owned by the caller:
/// `toml_document_destroy`.
toml_document *toml_document_parse(const char *bytes, size_t size);

/// Frees a document and everything that was read from it. `document` may be NULL.
void toml_document_destroy(toml_document *document);

/// The nodes, the root table first; none when there was an error. Valid while the document lives.
const toml_node *toml_document_nodes(const toml_document *document, size_t *count);

/// Why the text is no TOML, in toml++'s words, and where; an empty text when it is. Valid while the document
/// lives.
toml_text toml_document_error(const toml_document *document, toml_place *place);

#ifdef __cplusplus
}
#endif
