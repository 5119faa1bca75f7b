// A lack of memory in each place: nothing crashes, hangs or is left open.
#include "faults.h"
#include "world.h"
#include "../plugin-host/plugin.h"
#include <dirent.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_files(void) {
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    check("the files can be counted", folder != NULL);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

// As `settle`, but a call that fails without memory does not count.
static void settle_anyhow(spin_self *self) {
    for (int seen = 0; seen < 2;)
        seen += host_ended(call_close(self, "none"))[0] == 0;
}

// An instance that lives through most of what it can do. It has no expectations but that it ends.
static void live(int after) {
    char address[64], local[160], datagrams[512] = "udp:127.0.0.1:9";
    int listener = offer(address);
    local_address(local);
    reset_config();
    forget_connections();
    fail_allocation(after);
    spin_self *self = plugin_instance()->create(host_call("create"), &config);
    if (!self) {
        close(listener);
        return;
    }
    start(self);
    spin_call *served = call_listen(self, local, "lines", "listen");
    spin_call *connected = call_connect(self, address, "lines", "connect");
    spin_call *received = call_receive(self, "udp:127.0.0.1:0", "receive");
    settle_anyhow(self);
    if (strncmp(heard_address(), "udp:", 4) == 0)
        strcpy(datagrams, heard_address());
    int peer = access("socket", F_OK) == 0 ? dial_to(local) : -1;
    if (peer >= 0) // Without memory, the plugin has closed the connection.
        send(peer, "a\xFF\n", 3, MSG_NOSIGNAL);
    settle_anyhow(self);
    call_send(self, connection(0), "yes", 3, "send");
    call_send_to(self, "", datagrams, "a", 1);
    settle_anyhow(self);
    host_cancel(served);
    host_cancel(connected);
    host_cancel(received);
    stop(self);
    save(self);
    spin_self *next = plugin_instance()->create(host_call("create"), &config);
    if (next && restore(next, saved_bytes, saved_size) == SPIN_OK) {
        start(next);
        served = call_listen(next, local, "lines", "listen");
        settle_anyhow(next);
        host_cancel(served);
        stop(next);
    }
    if (next)
        destroy(next);
    destroy(self);
    if (peer >= 0)
        close(peer);
    close(listener);
    unlink("socket");
}

void test_memory(void) {
    int files = open_files(), after = 0;
    do {
        live(after++);
        check("no file is left open", open_files() == files);
    } while (has_failed());
    check("there were many places", after > 20);
    fail_allocation(-1);
}
