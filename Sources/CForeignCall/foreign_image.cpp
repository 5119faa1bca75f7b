#include "foreign_image.h"

#include <dlfcn.h>
#include <link.h>

namespace {

const link_map *map_of(void *handle) {
    link_map *map = nullptr;
    return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map : nullptr;
}

} // namespace

int32_t foreign_symbol_kind(const void *address) {
    Dl_info info;
    void *extra = nullptr;
    if (dladdr1(address, &info, &extra, RTLD_DL_SYMENT) == 0 || extra == nullptr ||
        info.dli_saddr != address) {
        return FOREIGN_SYMBOL_UNKNOWN;
    }
    switch (ELF64_ST_TYPE(static_cast<const ElfW(Sym) *>(extra)->st_info)) {
    case STT_FUNC:
    case STT_GNU_IFUNC:
        return FOREIGN_SYMBOL_FUNCTION;
    case STT_OBJECT:
    case STT_COMMON:
    case STT_TLS:
        return FOREIGN_SYMBOL_VARIABLE;
    default:
        return FOREIGN_SYMBOL_UNKNOWN;
    }
}

const void *foreign_image_base(void *handle) {
    const link_map *map = map_of(handle);
    return map == nullptr ? nullptr : reinterpret_cast<const void *>(map->l_addr);
}

const char *foreign_image_path(void *handle) {
    const link_map *map = map_of(handle);
    return map == nullptr ? nullptr : map->l_name;
}

bool foreign_image_contains(void *handle, const void *address) {
    Dl_info info;
    void *extra = nullptr;
    return dladdr1(address, &info, &extra, RTLD_DL_LINKMAP) != 0 && extra != nullptr &&
           extra == map_of(handle);
}

const char *foreign_image_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) == 0 ? nullptr : info.dli_fname;
}
