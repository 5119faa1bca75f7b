// Values, statements and transactions.
#include "world.h"
#include "server.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void test_values(spin_self *self) {
    expect("types come by their numbers",
           query(self, "SELECT 1::int2 a, 2::int4 b, 9223372036854775807 c, 1.5::float4 d, 0.1::float8 e"),
           "a,b,c,d,e: integer 1 (1, 1) integer 2 (2, 2) integer 9223372036854775807 (9223372036854775807, "
           "9.22337e+18) real 1.5 (1, 1.5) real 0.1 (0, 0.1)\n");
    expect("others come, too",
           query(self, "SELECT true a, NULL b, '\\x00ff'::bytea c, '{\"k\": [1]}'::jsonb d, 'grüß' e, "
                       "-9007199254740993.99::numeric f, '' g, ''::bytea h"),
           "a,b,c,d,e,f,g,h: boolean true null blob [2]00ff json {\"k\": [1]} text grüß numeric "
           "-9007199254740993.99 (-9007199254740993, -9.0072e+15) text  blob [0]\n");
    expect("a number may be none", query(self, "SELECT 'NaN'::float8, 'NaN'::numeric"),
           "float8,numeric: real NaN (0, nan) numeric NaN (0, nan)\n");
    expect("the least and the greatest integer",
           query(self, "SELECT (-2)::float8 ^ 63, 2::numeric ^ 63 - 0.01"),
           "?column?,?column?: real -9.223372036854776e+18 (-9223372036854775808, -9.22337e+18) "
           "numeric 9223372036854775807.9900000000000000 (9223372036854775807, 9.22337e+18)\n");
    static const char *const large[] = {"2::float8 ^ 63",  "'1e300'::float8", "'Infinity'::float8",
                                        "2::numeric ^ 63", "1e30::numeric",   "'Infinity'::numeric"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT (%s) AS a, -(%s) AS b", large[i], large[i]);
        const char *found = query(self, sql);
        check("the greatest", strstr(found, " (9223372036854775807, ") != NULL);
        check("the least", strstr(found, " (-9223372036854775808, ") != NULL);
    }
    expect("a query without columns", query(self, "SELECT FROM generate_series(1, 2)"), ":;\n");
    expect("a query without rows", query(self, "SELECT 1 AS one WHERE false"), "one\n");
}

static void test_parameters(spin_self *self) {
    static const uint8_t bytes[] = {0, 255};
    expect("a table is made",
           execute(self, "CREATE TABLE p (i int, d float8, b bool, t text, y bytea, j jsonb, n int)"),
           "0 changes\n");
    const postgres_parameter values[] = {integer_value(-5),
                                         {.real = {1, 0.1}},
                                         {.boolean = {1, true}},
                                         text_value("'); DROP TABLE p; --"),
                                         {.blob = {1, {bytes, sizeof bytes}}},
                                         text_value("[1, {\"a\": null}]"),
                                         null_value};
    expect("values go in",
           host_ended(call_with(self, "execute", "INSERT INTO p VALUES ($1, $2, $3, $4, $5, $6, $7)", values,
                                7, -1)),
           "1 changes\n");
    expect("values come out", query(self, "SELECT * FROM p"),
           "i,d,b,t,y,j,n: integer -5 (-5, -5) real 0.1 (0, 0.1) boolean true text '); DROP TABLE p; -- "
           "blob [2]00ff json [1, {\"a\": null}] null\n");
    expect("the statement says the type of a value",
           host_ended(call_with(self, "query", "SELECT $1::bigint + 1 AS next", values, 1, -1)),
           "next: integer -4 (-4, -4)\n");
    expect("there are too few values",
           host_ended(call_with(self, "query", "SELECT $1::int, $2::int", values, 1, -1)),
           "-128 08P01 the statement has 2 parameters, and 1 value is given");
    expect("there are no values", host_ended(call_with(self, "query", "SELECT $1::int", values, 0, -1)),
           "-128 08P01 the statement has 1 parameter, and 0 values are given");
    expect("there are too many", host_ended(call_with(self, "query", "SELECT 1", values, 2, -1)),
           "-128 42P18 could not determine data type of parameter $1");
    postgres_parameter two = {.text = {1, {"a", 1}}, .integer = {1, 1}};
    expect("a value has one type", host_ended(call_with(self, "query", "SELECT $1", &two, 1, -1)),
           "-5 value 1 has more than one of `text`, `integer`, `real`, `boolean` and `blob`");
    postgres_parameter nul = {.text = {1, {"a\0b", 3}}};
    expect("a text has no NUL", host_ended(call_with(self, "query", "SELECT $1", &nul, 1, -1)),
           "-5 value 1 is a text with a NUL character, which PostgreSQL cannot store");
    postgres_parameter large = {.text = {1, {"", (1 << 30) + 1}}}; // Nobody reads it.
    expect("a text is not too long", host_ended(call_with(self, "query", "SELECT $1", &large, 1, -1)),
           "-5 value 1 has more than 1 GiB");
    postgres_parameter blob = {.blob = {1, {bytes, 2}}};
    expect_start("bytes are not a number",
                 host_ended(call_with(self, "execute", "INSERT INTO p (i) VALUES ($1)", &blob, 1, -1)),
                 "-128 42804 column \"i\" is of type integer but expression is of type bytea");
}

static void test_refusals(spin_self *self) {
    static const char ends[] =
        "-5 a statement cannot begin or end a transaction; the effect `transaction` does";
    static const char others[] = "-5 a statement cannot change the connection, which others use, too";
    static const struct {
        const char *sql, *reason;
    } cases[] = {
        {"", "-5 the statement is empty"},
        {" -- a comment\n ; /* a /* nested */ one */", "-5 the statement is empty"},
        {"SELECT 1; SELECT 2", "-128 42601 there are several statements; `transaction` takes a list of them"},
        {"SELEC", "-128 42601 syntax error at or near \"SELEC\""},
        {"BEGIN", ends},
        {"/* x */ ; -- y\n COMMIT", ends},
        {"rollback to savepoint a", ends},
        {"(START TRANSACTION", ends},
        {"PREPARE x AS SELECT 1", others},
        {"DISCARD ALL", others},
        {"SET search_path = x",
         "-5 a statement cannot change the connection; in `transaction`, `SET LOCAL` is possible"},
        {"SET LOCAL search_path = x",
         "-5 a statement cannot change the connection; in `transaction`, `SET LOCAL` is possible"},
        {"LISTEN a", "-5 the effect `listen` listens to a channel"},
        {"COPY p TO STDOUT", "-5 `COPY` is not possible"},
        {"/* without an end", "-128 42601 unterminated /* comment at or near \"/* without an end\""},
        {"SELECT 1/0", "-128 22012 division by zero"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].sql, query(self, cases[i].sql), cases[i].reason);
    spin_call *nul = call_with(self, "query", "SELECT 1", NULL, 0, -1);
    expect("the connection works on", host_ended(nul), "?column?: integer 1 (1, 1)\n");
}

static void test_changes(spin_self *self) {
    expect("a table is made", execute(self, "CREATE TABLE c (a int PRIMARY KEY)"), "0 changes\n");
    expect("rows are counted", execute(self, "INSERT INTO c SELECT generate_series(1, 5)"), "5 changes\n");
    expect("rows that are read are not", execute(self, "SELECT * FROM c"), "0 changes\n");
    expect("updates are", execute(self, "UPDATE c SET a = a + 10 WHERE a < 3"), "2 changes\n");
    expect("rows come back", query(self, "DELETE FROM c WHERE a > 10 RETURNING a"),
           "a: integer 11 (11, 11); integer 12 (12, 12)\n");
    expect("a constraint refuses", execute(self, "INSERT INTO c VALUES (3)"),
           "-128 23505 duplicate key value violates unique constraint \"c_pkey\"");
    expect("a query takes it back, too", query(self, "INSERT INTO c VALUES (6), (3) RETURNING a"),
           "-128 23505 duplicate key value violates unique constraint \"c_pkey\"");
    expect("`VACUUM` is for `execute`", execute(self, "VACUUM c"), "0 changes\n");
    expect_start("it is not for `query`", query(self, "VACUUM c"), "-128 25001 VACUUM cannot run inside");
    expect("nothing is left", query(self, "SELECT count(*) FROM c"), "count: integer 3 (3, 3)\n");
}

void test_statements(void) {
    reset_config();
    spin_self *self = make();
    test_values(self);
    test_parameters(self);
    test_refusals(self);
    test_changes(self);
    end(self);
}

void test_transactions(void) {
    reset_config();
    spin_self *self = make();
    expect("all run",
           transact(self, (const char *[]){"CREATE TABLE a (id int PRIMARY KEY)",
                                           "CREATE TABLE b (a int REFERENCES a DEFERRABLE "
                                           "INITIALLY DEFERRED)",
                                           "INSERT INTO a VALUES (1), (2)", NULL}),
           "committed 2\n");
    expect("none run",
           transact(self, (const char *[]){"INSERT INTO a VALUES (3)", "INSERT INTO a VALUES (2)", NULL}),
           "-128 statement 2: 23505 duplicate key value violates unique constraint \"a_pkey\"");
    expect("the end refuses, too", transact(self, (const char *[]){"INSERT INTO b VALUES (9)", NULL}),
           "-128 23503 insert or update on table \"b\" violates foreign key constraint \"b_a_fkey\"");
    expect("it has settings of its own",
           transact(self, (const char *[]){"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                                           "SET LOCAL search_path = none", NULL}),
           "committed 0\n");
    expect("it does not end early", transact(self, (const char *[]){"DELETE FROM a", "COMMIT", NULL}),
           "-5 statement 2: a statement cannot begin or end a transaction; the effect `transaction` does");
    expect("nothing", transact(self, (const char *[]){NULL}), "committed 0\n");
    expect("nothing has changed", query(self, "SELECT id FROM a"),
           "id: integer 1 (1, 1); integer 2 (2, 2)\n");
    end(self);
}
