#include "foreign_image.h"

#include <dlfcn.h>
#include <link.h>

namespace {

const link_map *map_of(void *handle) {
    link_map *map = nullptr;
    return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map : nullptr;
}

struct segment_search {
    ElfW(Addr) base;
    foreign_segment *segments;
    size_t capacity, count;
};

int collect_segments(dl_phdr_info *info, size_t, void *context) {
    auto *search = static_cast<segment_search *>(context);
    if (info->dlpi_addr != search->base)
        return 0;
    for (const ElfW(Phdr) *header = info->dlpi_phdr; header < info->dlpi_phdr + info->dlpi_phnum; header++) {
        if (header->p_type != PT_LOAD || (header->p_flags & PF_R) == 0)
            continue;
        if (search->count < search->capacity)
            search->segments[search->count] = {
                reinterpret_cast<const void *>(info->dlpi_addr + header->p_vaddr), header->p_memsz,
                (header->p_flags & PF_W) != 0};
        search->count++;
    }
    return 1;
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

size_t foreign_image_segments(void *handle, foreign_segment *segments, size_t capacity) {
    const link_map *map = map_of(handle);
    segment_search search = {map == nullptr ? 0 : map->l_addr, segments, capacity, 0};
    if (map != nullptr)
        dl_iterate_phdr(collect_segments, &search);
    return search.count;
}

const char *foreign_image_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) == 0 ? nullptr : info.dli_fname;
}
