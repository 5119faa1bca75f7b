// The order of the parts.
#include "../plugin-host/plugin.h"
#include "parts.h"
#include "world.h"
#include <signal.h>

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    plugin_load(&test_host);
    polls_begin();
    test_settings();
    test_arguments();
    test_silence();
    test_greetings();
    test_refusals();
    test_credentials();
    test_servers();
    test_reasons();
    test_keep_alive();
    test_stops();
    test_frames();
    test_damage();
    test_room();
    test_kept();
    test_kept_runs();
    test_kept_count();
    test_kept_many();
    test_large();
    test_many_headers();
    test_answers();
    test_losses();
    test_limits();
    test_permissions();
    test_backlog();
    test_large_answer();
    test_pulls();
    test_pull_statuses();
    test_pull_room();
    test_large_pulls();
    test_real();
    test_streams();
    test_secure();
    polls_close();
    return 0;
}
