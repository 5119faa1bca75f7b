// The C types of foreign calls and records, on libffi. They are functions because Swift's strict concurrency
// rejects libffi's global `ffi_type_*` variables.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A type of the C ABI: libffi's `ffi_type`. Scalars are never freed. The maker of a structure owns it.
typedef struct foreign_type foreign_type;

/// The scalar types, by size, signedness and register class.
enum {
    FOREIGN_VOID,
    FOREIGN_I8,
    FOREIGN_I16,
    FOREIGN_I32,
    FOREIGN_I64,
    FOREIGN_U8,
    FOREIGN_U16,
    FOREIGN_U32,
    FOREIGN_U64,
    FOREIGN_F32,
    FOREIGN_F64,
    FOREIGN_POINTER
};

/// The scalar type `kind`, one of `FOREIGN_…`. It is never freed.
const foreign_type *foreign_type_scalar(int32_t kind);

/// Makes a structure of `count` members in declaration order. Arrays are repeated members. Members are
/// borrowed and must outlive it. Writes each member's offset in bytes to `offsets`. NULL when libffi refuses
/// (no member, void member) or memory is short. The caller owns the structure and frees it with
/// `foreign_type_destroy`.
foreign_type *foreign_type_structure(const foreign_type *const *members, size_t count, size_t *offsets);

/// Frees a structure made by `foreign_type_structure`.
void foreign_type_destroy(foreign_type *type);

/// Size in bytes.
size_t foreign_type_size(const foreign_type *type);

/// Alignment in bytes.
size_t foreign_type_alignment(const foreign_type *type);

#ifdef __cplusplus
}
#endif
