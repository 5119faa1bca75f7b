// Files of comma-separated values, row by row.
#include "world.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *rows_of(spin_self *self, const char *content, int count, const char *columns[]) {
    unlink("r.csv");
    make_file("r.csv", content);
    return result(call_rows(self, NULL, "r.csv", count, columns));
}

static void test_forms(void) {
    const struct {
        const char *content, *rows;
    } cases[] = {
        {"", "ended 0\n"},
        {"\n\r\n\n", "ended 0\n"},
        {"a", "row 1|a\nended 1\n"},
        {"a,b\n", "row 1|a|b\nended 1\n"},
        {"a,b\r\nc,d\r\n", "row 1|a|b\nrow 2|c|d\nended 2\n"},
        {",\n", "row 1||\nended 1\n"},
        {"a,", "row 1|a|\nended 1\n"},
        {"a\n\nb\n", "row 1|a\nrow 3|b\nended 2\n"},
        {"\"\"\n", "row 1|\nended 1\n"},
        {"\"a,b\",c\n", "row 1|a,b|c\nended 1\n"},
        {"\"a\nb\"\nc\n", "row 1|a\nb\nrow 3|c\nended 2\n"},
        {"\"a\"\"b\",\"\"\"\",c\n", "row 1|a\"b|\"|c\nended 1\n"},
        {"\"\"\"a\",b", "row 1|\"a|b\nended 1\n"},
        {"a\rb\n", "row 1|a\rb\nended 1\n"},
        {"a\r", "row 1|a\r\nended 1\n"},
        {"\xef\xbb\xbfü,b\n", "row 1|ü|b\nended 1\n"},
        {"\xef\xbb\xbf", "ended 0\n"},
        {"a\"b\nc\n", "damaged 1 a field without quotes has a quote\nrow 2|c\nended 1\n"},
        {"\"a\"b,c\r\nd\n", "damaged 1 a text follows a closing quote\nrow 2|d\nended 1\n"},
        {"a\n\"b\nc\n", "row 1|a\ndamaged 2 a quote is not closed\nrow 3|c\nended 2\n"},
        {"\"", "damaged 1 a quote is not closed\nended 0\n"},
        {"a\n\xff\nb\n", "row 1|a\ndamaged 2 it is not UTF-8\nrow 3|b\nended 2\n"},
        {"\"a\n\xff\"\nb\n", "damaged 1 it is not UTF-8\nrow 3|b\nended 1\n"},
    };
    spin_self *self = make();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].content, rows_of(self, cases[i].content, 0, NULL), cases[i].rows);
    expect("a missing file", result(call_rows(self, NULL, "none", 0, NULL)),
           "-2 cannot read `none`: No such file or directory");
    make_dir("r");
    expect("a folder", result(call_rows(self, NULL, "r", 0, NULL)), "-21 cannot read `r`: it is a folder");
    remove_all("r");
    end(self);
}

static void test_columns(void) {
    const char *some[] = {"c", "a"}, *other[] = {"c", "x"}, *empty[] = {""};
    spin_self *self = make();
    expect("by name", rows_of(self, "\na,b,c\n1,2,3\n\"4\",5,6\n", 2, some),
           "row 3|3|1\nrow 4|6|4\nended 2\n");
    expect("the first of two", rows_of(self, "a,a,c\n1,2,3\n", 2, some), "row 2|3|1\nended 1\n");
    expect("others are damaged", rows_of(self, "a,c\n1\n2,3\n4,5,6\n", 2, some),
           "damaged 2 it has not as many fields as the header\nrow 3|3|2\n"
           "damaged 4 it has not as many fields as the header\nended 1\n");
    expect("no rows", rows_of(self, "c,a", 2, some), "ended 0\n");
    expect("a name without a byte", rows_of(self, "a,\n1,2\n", 1, empty), "row 2|2\nended 1\n");
    expect("a name is missing", rows_of(self, "a,b,c\n", 2, other),
           "-22 cannot read `r.csv`: its header has no column `x`, but `a`, `b` and `c`");
    expect("another separator", rows_of(self, "a;c\n", 2, some),
           "-22 cannot read `r.csv`: its header has no column `c`, but `a;c`");
    expect("many columns", rows_of(self, "1,2,3,4,5,6,7,8,9,10\n", 1, empty),
           "-22 cannot read `r.csv`: its header has no column ``, but "
           "`1`, `2`, `3`, `4`, `5`, `6`, `7`, `8` and 2 more");
    expect("a long column", rows_of(self, "grün grün grün grün grün grün graünlich\n", 1, empty),
           "-22 cannot read `r.csv`: its header has no column ``, but `grün grün grün grün grün grün gra…`");
    char wide[512] = "";
    for (int i = 0; i < 9; i++)
        strcat(wide, "1234567890123456789012345678901234567890+,");
    check("the widest text",
          strstr(rows_of(self, strcat(wide, "\n"), 1, other + 1), "567890…` and 2 more") != NULL);
    char name[512] = "", reason[1024];
    const char *longer[] = {name};
    for (int i = 0; i < 100; i++)
        strcat(name, "grü");
    snprintf(reason, sizeof reason,
             "-22 cannot read `r.csv`: its header has no column `%s`, but `a`, `b` and `c`", name);
    expect("a long name is missing", rows_of(self, "a,b,c\n", 1, longer), reason);
    expect("no header", rows_of(self, "\n", 2, some), "-22 cannot read `r.csv`: it has no header");
    expect("a damaged header", rows_of(self, "a\"\n", 2, some),
           "-22 cannot read `r.csv`: a field without quotes has a quote");
    end(self);
}

static void test_room(void) {
    spin_self *self = make();
    make_file("r.csv", "a\nb\n\"c\nd\n");
    room_of_next = 1;
    spin_call *call = call_rows(self, NULL, "r.csv", 0, NULL);
    host_await_room(call);
    expect("one row", host_await(call, "\n"), "row 1|a\n");
    host_set_room(call, 1);
    host_await_room(call);
    expect("two rows", host_await(call, "b\n"), "row 1|a\nrow 2|b\n");
    host_set_room(call, 1);
    host_await_room(call);
    host_set_room(call, 1);
    host_await_room(call);
    host_set_room(call, -1);
    expect("all of them", result(call),
           "row 1|a\nrow 2|b\ndamaged 3 a quote is not closed\nrow 4|d\nended 3\n");
    end(self);
}

void test_rows(void) {
    test_forms();
    test_columns();
    test_room();
}
