// The `postgres` plugin in a host of the test, with a real server and with peers of the test.
#include "../plugin-host/plugin.h"
#include "server.h"
#include "world.h"

int main(void) {
    plugin_load(&test_host);
    polls_begin();
    server_make();
    test_settings();
    test_peers();
    test_hearing();
    test_addresses();
    test_sessions();
    test_broken_peers();
    test_statements();
    test_transactions();
    test_limits();
    test_calls();
    test_listening();
    test_certificates();
    test_losses();
    server_remove();
    polls_close();
    return 0;
}
