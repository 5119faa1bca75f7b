/* The world of an instance: its settings, and calls of its effects. */
#ifndef POSTGRES_TEST_WORLD_H
#define POSTGRES_TEST_WORLD_H

#include "postgres.h"
#include "../plugin-host/host.h"
#include "../plugin-host/instances.h"
#include "../plugin-host/polls.h"

#define SECOND INT64_C(1000000000)

/* The settings of the next instance: those of the real server, or of a port of 127.0.0.1. */
extern struct spin_config config;
void reset_config(void);
void use_port(int port);
void set_text(spin_string *setting, const char *text);

/* Ends an instance. */
void end(spin_self *self);

/* A value for a parameter. */
postgres_parameter text_value(const char *text);
postgres_parameter integer_value(int64_t integer);
extern const postgres_parameter null_value;

/* Calls an effect. `room` is that of its mailbox; -1 is enough for everything. */
spin_call *call_with(spin_self *self, const char *effect, const char *sql, const postgres_parameter *values,
                     size_t count, int room);
spin_call *call(spin_self *self, const char *effect, const char *sql);

/* A transaction of these statements, up to NULL, without values. */
spin_call *call_transaction(spin_self *self, const char *const *statements);
spin_call *call_listen(spin_self *self, const char *channel, int room);
spin_call *call_notify(spin_self *self, const char *channel, const char *payload);

/* What such a call leads to. */
const char *query(spin_self *self, const char *sql);
const char *execute(spin_self *self, const char *sql);
const char *transact(spin_self *self, const char *const *statements);

/* Ends the program unless the text begins so, or has this part. */
void expect_start(const char *name, const char *found, const char *start);
void expect_part(const char *name, const char *found, const char *part);

/* The parts of the test: with the real server, and with peers of the test. */
void test_statements(void);
void test_transactions(void);
void test_limits(void);
void test_calls(void);
void test_listening(void);
void test_losses(void);
void test_certificates(void);
void test_settings(void);
void test_peers(void);
void test_hearing(void);
void test_addresses(void);
void test_sessions(void);
void test_broken_peers(void);

#endif
