#include "foreign_closure.h"

#include "foreign_guard.h"
#include "foreign_thread.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ffi.h>

struct foreign_closure {
    ffi_closure *closure;
    const void *function;
    foreign_answer answer;
    void *context;
    uint64_t fallback;
    ffi_cif cif;
    ffi_type *parameters[];
};

namespace {

ffi_type *ffi(const foreign_type *type) {
    return reinterpret_cast<ffi_type *>(const_cast<foreign_type *>(type));
}

/// The answer that this thread computes: 1 more than the number of the thread's calls when it began; 0 for
/// none.
__thread uint64_t answering __attribute__((tls_model("initial-exec")));

uint64_t answered(foreign_closure *closure, void **arguments) {
    const uint64_t before = answering;
    const uint64_t now = foreign_this_thread.serial + 1;
    if (before == now) {
        return foreign_closure_fallback(closure);
    }
    answering = now;
    void *const suspended = foreign_guard_suspend();
    const uint64_t result = closure->answer(closure->context, arguments);
    foreign_guard_resume(suspended);
    answering = before;
    return result;
}

/// The function behind every closure.
void enter(ffi_cif *cif, void *result, void **arguments, void *context) {
    const int number = errno;
    const uint64_t word = answered(static_cast<foreign_closure *>(context), arguments);
    switch (cif->rtype->type) {
    case FFI_TYPE_VOID:
        break;
    case FFI_TYPE_FLOAT:
        std::memcpy(result, &word, sizeof(float));
        break;
    case FFI_TYPE_DOUBLE:
        std::memcpy(result, &word, sizeof(double));
        break;
    default:
        // libffi reads a whole register for a narrow integer.
        *static_cast<ffi_arg *>(result) = static_cast<ffi_arg>(word);
    }
    errno = number;
}

} // namespace

foreign_closure *foreign_closure_create(const foreign_type *result, const foreign_type *const *parameters,
                                        size_t count, foreign_answer answer, void *context) {
    auto *made = static_cast<foreign_closure *>(
        std::calloc(1, sizeof(foreign_closure) + (count + 1) * sizeof(ffi_type *)));
    if (made == nullptr) {
        return nullptr;
    }
    for (size_t i = 0; i < count; i++) {
        made->parameters[i] = ffi(parameters[i]);
    }
    made->answer = answer;
    made->context = context;
    void *function = nullptr;
    made->closure = static_cast<ffi_closure *>(ffi_closure_alloc(sizeof(ffi_closure), &function));
    made->function = function;
    if (made->closure == nullptr ||
        ffi_prep_cif(&made->cif, FFI_DEFAULT_ABI, static_cast<unsigned>(count), ffi(result),
                     made->parameters) != FFI_OK ||
        ffi_prep_closure_loc(made->closure, &made->cif, enter, made, function) != FFI_OK) {
        if (made->closure != nullptr) {
            ffi_closure_free(made->closure);
        }
        std::free(made);
        return nullptr;
    }
    return made;
}

const void *foreign_closure_function(const foreign_closure *closure) { return closure->function; }

void foreign_closure_set_fallback(foreign_closure *closure, uint64_t fallback) {
    __atomic_store_n(&closure->fallback, fallback, __ATOMIC_RELAXED);
}

uint64_t foreign_closure_fallback(const foreign_closure *closure) {
    return __atomic_load_n(&closure->fallback, __ATOMIC_RELAXED);
}
