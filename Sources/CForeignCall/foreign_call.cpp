#include "foreign_call.h"

#include <alloca.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <ffi.h>

struct foreign_interface {
    ffi_cif cif;
    // libffi before 3.7 replaces the pointers to large structures by pointers into its own frame.
    bool copies_arguments;
    ffi_type *parameters[];
};

namespace {

// What libffi passes in registers at most; a larger structure goes through memory.
constexpr size_t largest_in_registers = 16;

ffi_type *ffi(const foreign_type *type) {
    return reinterpret_cast<ffi_type *>(const_cast<foreign_type *>(type));
}

void copy_message(const char *text, char *message, size_t size) {
    if (size == 0) {
        return;
    }
    const size_t length = text == nullptr ? 0 : strnlen(text, size - 1);
    if (length > 0) {
        std::memcpy(message, text, length);
    }
    message[length] = 0;
}

template <typename Body> int32_t contained(char *message, size_t size, Body body) {
    try {
        body();
        return FOREIGN_RETURNED;
    } catch (const std::exception &exception) {
        copy_message(exception.what(), message, size);
    } catch (const abi::__forced_unwind &) {
        // The end of a thread is no fault and must go on.
        throw;
    } catch (...) {
        copy_message(nullptr, message, size);
    }
    return FOREIGN_THREW;
}

thread_local void *current_owner = nullptr;

} // namespace

foreign_interface *foreign_interface_create(const foreign_type *result, const foreign_type *const *parameters,
                                            size_t count) {
    auto *made = static_cast<foreign_interface *>(
        std::malloc(sizeof(foreign_interface) + (count + 1) * sizeof(ffi_type *)));
    if (made == nullptr) {
        return nullptr;
    }
    made->copies_arguments = false;
    for (size_t i = 0; i < count; i++) {
        made->parameters[i] = ffi(parameters[i]);
        made->copies_arguments |=
            made->parameters[i]->type == FFI_TYPE_STRUCT && made->parameters[i]->size > largest_in_registers;
    }
    if (ffi_prep_cif(&made->cif, FFI_DEFAULT_ABI, static_cast<unsigned>(count), ffi(result),
                     made->parameters) != FFI_OK) {
        std::free(made);
        return nullptr;
    }
    return made;
}

void foreign_interface_destroy(foreign_interface *interface) { std::free(interface); }

size_t foreign_result_size(const foreign_type *type) {
    const size_t size = ffi(type)->size < sizeof(ffi_arg) ? sizeof(ffi_arg) : ffi(type)->size;
    // A structure that comes back in registers is stored a register at a time.
    return (size + largest_in_registers - 1) / largest_in_registers * largest_in_registers;
}

int32_t foreign_call(const foreign_interface *interface, const void *function, void *const *arguments,
                     void *result, int32_t *error_number, char *message, size_t message_size) {
    auto *cif = const_cast<ffi_cif *>(&interface->cif);
    auto **values = const_cast<void **>(arguments);
    if (interface->copies_arguments) {
        const size_t size = cif->nargs * sizeof(void *);
        values = static_cast<void **>(alloca(size));
        std::memcpy(values, arguments, size);
    }
    auto *callee = reinterpret_cast<void (*)()>(const_cast<void *>(function));
    return contained(message, message_size, [=] {
        errno = 0;
        ffi_call(cif, callee, result, values);
        *error_number = errno;
    });
}

int32_t foreign_call_back(void (*function)(void *context), void *context, char *message,
                          size_t message_size) {
    return contained(message, message_size, [=] { function(context); });
}

int32_t foreign_call_back_counting(void (*function)(void *context, uint64_t count), void *context,
                                   uint64_t count, char *message, size_t message_size) {
    return contained(message, message_size, [=] { function(context, count); });
}

void *foreign_owner_exchange(void *owner) {
    void *before = current_owner;
    current_owner = owner;
    return before;
}

void *foreign_owner_current(void) { return current_owner; }
