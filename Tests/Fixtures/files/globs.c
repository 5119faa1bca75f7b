// Paths that match patterns.
#include "glob/wildcard.h"
#include "world.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void test_paths(void) {
    spin_self *self = make();
    make_dir("g");
    make_dir("g/b");
    make_dir("g/b/c");
    make_dir("g/.hidden");
    const char *files[] = {"g/1.txt",     "g/2.txt",         "g/2.csv", "g/b/3.txt",
                           "g/b/c/4.txt", "g/.hidden/5.txt", "g/[x]"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        make_file(files[i], "");
    check("circles", symlink("..", "g/b/up") == 0 && symlink("self", "g/b/self") == 0);
    const struct {
        const char *pattern, *found;
    } cases[] = {
        {"g/*.txt", "paths g/1.txt g/2.txt\n"},
        {"g/?.csv", "paths g/2.csv\n"},
        {"g/[!1].txt", "paths g/2.txt\n"},
        {"g/**/*.txt", "paths g/1.txt g/2.txt g/b/3.txt g/b/c/4.txt\n"},
        {"g/**/b/**/*.txt", "paths g/b/3.txt g/b/c/4.txt\n"},
        {"g/**/**/4.txt", "paths g/b/c/4.txt\n"},
        {"g/b/**", "paths g/b/3.txt g/b/c g/b/c/4.txt g/b/self g/b/up\n"},
        {"g/*/3.txt", "paths g/b/3.txt\n"},
        {"g/b/*/4.txt", "paths g/b/c/4.txt\n"},
        {"g/b/self/*", "paths\n"},
        {"g/.*/5.txt", "paths g/.hidden/5.txt\n"},
        {"g/\\[x\\]", "paths g/[x]\n"},
        {"g/1.txt", "paths g/1.txt\n"},
        {"g/1.txt/*", "paths\n"},
        {"none/*", "paths\n"},
        {"g//b/./*.txt", "paths g/b/./3.txt\n"},
        {"/proc/sys/kernel/ostyp?", "paths /proc/sys/kernel/ostype\n"},
        {"g/b/", "paths g/b\n"},
        {"g/?.csv/", "paths g/2.csv\n"},
        {"g/b/../1.txt", "paths g/b/../1.txt\n"},
        {"g/*/self", "paths g/b/self\n"},
        {"g/*/up/1.txt", "paths g/b/up/1.txt\n"},
        {"*/.hidden", "paths g/.hidden\n"},
        {"g/**/5.txt", "paths\n"},
        {"", "-22 cannot look for ``: it is not a pattern"},
        {"//", "-22 cannot look for `//`: it is not a pattern"},
        {"g/*/.", "-22 cannot look for `g/*/.`: `.` and `..` cannot come behind a wildcard"},
        {"g/*/../b", "-22 cannot look for `g/*/../b`: `.` and `..` cannot come behind a wildcard"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].pattern, result(call_path(self, "glob", cases[i].pattern)), cases[i].found);
    remove_all("g");
    end(self);
}

// Each wildcard takes characters, and not bytes.
static void test_wildcards(void) {
    const struct {
        const char *pattern, *name;
        int matches;
    } cases[] = {
        {"?", "ü", 1},       {"??", "ü", 0},          {"[ü]", "ü", 1},        {"[ä-ü]", "ö", 1},
        {"[a-z]", "ü", 0},   {"[!ü]", "ü", 0},        {"[!ä]", "ü", 1},       {"[^ä]", "ä", 0},
        {"[^ä]", "a", 1},    {"?", "😀", 1},           {"[😀-😂]", "😁", 1},      {"[😀-😂]", "😃", 0},
        {"*ü", "grün ü", 1}, {"a*b*c", "aXbXbXc", 1}, {"a*b*c", "aXbXcX", 0}, {"a*", "a", 1},
        {"*a", "b", 0},      {"[]]", "]", 1},         {"[!]]", "]", 0},       {"[]a]", "a", 1},
        {"[a-]", "-", 1},    {"[a-]", "b", 0},        {"[b-d]", "b", 1},      {"[b-d]", "d", 1},
        {"[b-d]", "e", 0},   {"[b-d]", "a", 0},       {"[\\]]", "]", 1},      {"[\\a-c]", "b", 1},
        {"[a", "[a", 1},     {"[a", "a", 0},          {"\\?", "?", 1},        {"\\?", "a", 0},
        {"?", "", 0},        {"*", ".a", 0},          {"?a", ".a", 0},        {"[.]a", ".a", 0},
        {".*", ".a", 1},     {"\\.a", ".a", 1},       {"a\\", "a\\", 1},      {"ab", "a", 0},
        {"a", "ab", 0},      {"**a", "ba", 1},        {"[!a-c]x", "dx", 1},   {"[", "[", 1},
        {"{a,b}", "a", 0},   {"{a,b}", "{a,b}", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].pattern, wildcard_matches(cases[i].pattern, cases[i].name) == cases[i].matches);
}

static char *repeat(char *text, const char *part, int count) {
    for (char *end = text + strlen(text); count > 0; count--)
        end = stpcpy(end, part);
    return text;
}

// Patterns that lead to a folder in very many ways, or have very many parts.
static void test_repeats(void) {
    enum { depth = 30 };
    static char path[256] = "g", pattern[100000], expected[2048];
    spin_self *self = make();
    make_dir("g");
    for (int i = 0; i < depth; i++)
        make_dir(repeat(path, "/a", 1));
    strcpy(pattern, "g/");
    expect("the same part", result(call_path(self, "glob", strcat(repeat(pattern, "**/", 20000), "no"))),
           "paths\n");
    strcpy(pattern, "g/");
    expect("many ways", result(call_path(self, "glob", strcat(repeat(pattern, "**/a/", 12), "no"))),
           "paths\n");
    // The folders are `g` and those below. Those that match are at a depth of 29 and 30.
    config.most_paths = depth + 1;
    strcpy(pattern, "g/**/a/**/");
    strcat(repeat(strcpy(expected, "paths g"), "/a", depth - 1), " g");
    expect("a path comes once", result(call_path(self, "glob", strcat(repeat(pattern, "a/", 27), "a"))),
           strcat(repeat(expected, "/a", depth), "\n"));
    config.most_paths = depth;
    expect("too many folders", result(call_path(self, "glob", "g/**/none")),
           "-7 cannot look for `g/**/none`: it leads into more folders than the setting `most_paths` allows");
    reset_config();
    strcpy(pattern, "g");
    expect("32 parts", result(call_path(self, "glob", repeat(pattern, "/*", 32))), "paths\n");
    snprintf(expected, sizeof expected, "-7 cannot look for `%s/*`: %s", pattern,
             "it has more than 32 parts from its first wildcard on");
    expect("33 parts", result(call_path(self, "glob", strcat(pattern, "/*"))), expected);
    repeat(strcpy(pattern, "*"), "a", 254);
    expect("a long part", result(call_path(self, "glob", pattern)), "paths\n");
    snprintf(expected, sizeof expected, "-36 cannot look for `%sa`: File name too long", pattern);
    expect("too long a part", result(call_path(self, "glob", strcat(pattern, "a"))), expected);
    remove_all("g");
    end(self);
}

void test_globs(void) {
    test_paths();
    test_wildcards();
    test_repeats();
}
