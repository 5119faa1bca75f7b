#include "saved.h"
#include "host.h"
#include "plugin.h"
#include <string.h>

char saved_bytes[1 << 18];
size_t saved_size;

static spin_status write_saved(spin_saving *saving, const void *data, size_t size) {
    (void)saving;
    check("there is room", saved_size + size <= sizeof saved_bytes);
    memcpy(saved_bytes + saved_size, data, size);
    saved_size += size;
    return SPIN_OK;
}

void save(spin_self *self) {
    spin_saving saving = {sizeof saving, 0, write_saved};
    saved_size = 0;
    check("it saves", plugin_swap()->save(host_call("save"), self, &saving) == SPIN_OK);
}

spin_status restore(spin_self *self, const void *data, size_t size) {
    const spin_saved saved = {.size = sizeof saved,
                              .schema = plugin_swap()->schema,
                              .version = "1",
                              .data = (const uint8_t *)data,
                              .data_size = size};
    return plugin_swap()->restore(host_call("restore"), self, &saved);
}

void restore_saved(spin_self *next) {
    check("another one restores", restore(next, saved_bytes, saved_size) == SPIN_OK);
}
