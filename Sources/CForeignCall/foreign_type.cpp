#include "foreign_type.h"

#include <cstdlib>
#include <ffi.h>
#include <new>

namespace {

// The ffi_type comes first, so that a foreign_type is an ffi_type. The members follow, NULL-terminated for
// libffi.
struct structure {
    ffi_type type;
    ffi_type *members[];
};

const ffi_type *ffi(const foreign_type *type) { return reinterpret_cast<const ffi_type *>(type); }

} // namespace

const foreign_type *foreign_type_scalar(int32_t kind) {
    static ffi_type *const types[] = {&ffi_type_void,   &ffi_type_sint8, &ffi_type_sint16, &ffi_type_sint32,
                                      &ffi_type_sint64, &ffi_type_uint8, &ffi_type_uint16, &ffi_type_uint32,
                                      &ffi_type_uint64, &ffi_type_float, &ffi_type_double, &ffi_type_pointer};
    if (kind < 0 || kind >= static_cast<int32_t>(sizeof types / sizeof *types)) {
        return nullptr;
    }
    return reinterpret_cast<const foreign_type *>(types[kind]);
}

foreign_type *foreign_type_structure(const foreign_type *const *members, size_t count, size_t *offsets) {
    auto *made =
        static_cast<structure *>(std::calloc(1, sizeof(structure) + (count + 1) * sizeof(ffi_type *)));
    if (made == nullptr) {
        return nullptr;
    }
    made->type.type = FFI_TYPE_STRUCT;
    made->type.elements = made->members;
    for (size_t i = 0; i < count; i++) {
        made->members[i] = reinterpret_cast<ffi_type *>(const_cast<foreign_type *>(members[i]));
    }
    if (ffi_get_struct_offsets(FFI_DEFAULT_ABI, &made->type, offsets) != FFI_OK) {
        std::free(made);
        return nullptr;
    }
    return reinterpret_cast<foreign_type *>(made);
}

void foreign_type_destroy(foreign_type *type) { std::free(type); }

size_t foreign_type_size(const foreign_type *type) { return ffi(type)->size; }

size_t foreign_type_alignment(const foreign_type *type) { return ffi(type)->alignment; }
