#include "foreign_call.h"

#include "foreign_contained.h"

#include <alloca.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ffi.h>

struct foreign_interface {
    ffi_cif cif;
    // libffi before 3.7 replaces the pointers to large structures by pointers into its own frame.
    bool copies_arguments;
    const foreign_callee *callee;
    ffi_type *parameters[];
};

namespace {

// The largest structure that libffi passes in registers. A larger one goes through memory.
constexpr size_t largest_in_registers = 16;

ffi_type *ffi(const foreign_type *type) {
    return reinterpret_cast<ffi_type *>(const_cast<foreign_type *>(type));
}

thread_local void *current_owner = nullptr;

/// The function that calls `function` through the interface.
inline auto caller(const foreign_interface *interface, const void *function, void **values, void *result,
                   int32_t *error_number) {
    auto *cif = const_cast<ffi_cif *>(&interface->cif);
    auto *callee = reinterpret_cast<void (*)()>(const_cast<void *>(function));
    return [=] {
        errno = 0;
        ffi_call(cif, callee, result, values);
        *error_number = errno;
    };
}

inline void copy_words(void *target, const void *source, size_t count) {
    if (count > 8) {
        std::memcpy(target, source, 8 * count);
        return;
    }
    auto *to = static_cast<char *>(target);
    auto *from = static_cast<const char *>(source);
#pragma clang loop vectorize(disable) unroll(disable)
    for (size_t i = 0; i < count; i++) {
        std::memcpy(to + 8 * i, from + 8 * i, 8);
    }
}

template <typename Body>
int32_t call(const foreign_callee *callee, char *message, size_t message_size, Body body) {
    return callee->is_guarded ? foreign_guarded(callee, message, message_size, body)
                              : foreign_contained(callee, message, message_size, body);
}

} // namespace

// libffi before 3.7 replaces pointers in the caller's array. This is a macro because the copy must live in
// the caller's frame.
#define FOREIGN_VALUES(interface, arguments)                                                                 \
    (!(interface)->copies_arguments                                                                          \
         ? const_cast<void **>(arguments)                                                                    \
         : static_cast<void **>(std::memcpy(alloca((interface)->cif.nargs * sizeof(void *)), arguments,      \
                                            (interface)->cif.nargs * sizeof(void *))))

foreign_interface *foreign_interface_create(const foreign_callee *callee, const foreign_type *result,
                                            const foreign_type *const *parameters, size_t count) {
    auto *made = static_cast<foreign_interface *>(
        std::malloc(sizeof(foreign_interface) + (count + 1) * sizeof(ffi_type *)));
    if (made == nullptr) {
        return nullptr;
    }
    made->copies_arguments = false;
    made->callee = callee;
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
    // libffi stores a structure that comes back in registers one register at a time.
    return (size + largest_in_registers - 1) / largest_in_registers * largest_in_registers;
}

int32_t foreign_call(const foreign_interface *interface, const void *function, void *const *arguments,
                     void *result, int32_t *error_number, char *message, size_t message_size) {
    auto **values = FOREIGN_VALUES(interface, arguments);
    return foreign_contained(interface->callee, message, message_size,
                             caller(interface, function, values, result, error_number));
}

int32_t foreign_call_guarded(const foreign_interface *interface, const void *function, void *const *arguments,
                             void *result, int32_t *error_number, char *message, size_t message_size) {
    auto **values = FOREIGN_VALUES(interface, arguments);
    return foreign_guarded(interface->callee, message, message_size,
                           caller(interface, function, values, result, error_number));
}

int32_t foreign_call_back(const foreign_callee *callee, void (*function)(void *context), void *context,
                          char *message, size_t message_size) {
    return call(callee, message, message_size, [=] { function(context); });
}

int32_t foreign_call_back_counting(const foreign_callee *callee,
                                   void (*function)(void *context, uint64_t count), void *context,
                                   uint64_t count, char *message, size_t message_size) {
    return call(callee, message, message_size, [=] { function(context, count); });
}

int32_t foreign_reduce(foreign_reducer *reducer, void *state, int32_t tag, const void *payload,
                       size_t payload_size) {
    copy_words(reducer->copy, state, reducer->state_size);
    std::memcpy(reducer->event, &tag, sizeof tag);
    copy_words(static_cast<char *>(reducer->event) + reducer->payload_offset, payload, payload_size);
    void *const changed = reducer->in_place ? state : reducer->copy;
    auto *reduce =
        reinterpret_cast<int32_t (*)(void *, void *, const void *)>(const_cast<void *>(reducer->function));
    const int32_t status = call(reducer->callee, reducer->message, reducer->message_size, [=] {
        reducer->answer = reduce(reducer->reduction, changed, reducer->event);
    });
    if (reducer->in_place && (status != FOREIGN_RETURNED || reducer->answer != 0)) {
        copy_words(state, reducer->copy, reducer->state_size);
    }
    return status;
}

void *foreign_owner_exchange(void *owner) {
    void *before = current_owner;
    current_owner = owner;
    return before;
}

void *foreign_owner_current(void) { return current_owner; }
