// Users, passwords and databases, with Redis.
#include "server.h"
#include "../world.h"
#include <string.h>

static void expect_ping(const char *name, const char *expected) {
    spin_self *self = make();
    expect(name, host_ended(call_command(self, "PING", NULL)), expected);
    end(self);
}

void test_login(void) {
    reset_config(server_port());
    ask("ACL SETUSER ada on >horse ~* &* +@all", "OK");
    ask("ACL SETUSER shy on >horse ~* &* +get", "OK");
    set_text(&config.user, "ada");
    set_text(&config.password, "horse");
    expect_ping("a user logs in", "`PONG`\n");
    set_text(&config.user, "shy");
    expect_ping("a user with few rights logs in",
                "-128 NOPERM this user has no permissions to run the 'ping' command");
    config.database = 1;
    expect_ping("it may not choose a database",
                "-129 there is no connection: the server refuses the database (setting `database`)");
    set_text(&config.user, "ada");
    expect_ping("another one may", "`PONG`\n");
    config.database = 99;
    expect_ping("there is not such a database",
                "-129 there is no connection: the server refuses the database (setting `database`)");
    reset_config(server_port());
    set_text(&config.user, "ada");
    set_text(&config.password, "cow");
    expect_ping(
        "a password is wrong",
        "-129 there is no connection: the server refuses the client: the user or the password is wrong");
    set_text(&config.user, "");
    expect_ping("no password is wanted",
                "-129 there is no connection: the server refuses the client: it has no "
                "password for the default user");
    ask("CONFIG SET requirepass horse", "OK");
    reset_config(server_port());
    expect_ping("a password is wanted",
                "-129 there is no connection: the server wants a password (settings `user` and "
                "`password`)");
    set_text(&config.password, "horse");
    expect_ping("it is right", "`PONG`\n");
    ask("ACL SETUSER default nopass", "OK");
    ask("CONFIG SET maxclients 1", "OK");
    reset_config(server_port());
    expect_ping("there are too many clients",
                "-129 there is no connection: the server refuses the client: it has too many of them");
    ask("CONFIG SET maxclients 1000", "OK");
}
