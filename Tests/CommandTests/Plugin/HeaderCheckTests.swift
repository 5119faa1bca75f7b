import Foundation
import Testing
import TestSupport

struct HeaderCheckTests {
    private func check(
        _ headers: String, _ declares: String, environment: [String: String] = [:]
    ) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        try folder.write("mine.h", "struct pair { short a; int b; }; int use(const struct pair *pair);\n")
        try folder.write(
            "app.toml",
            """
            [plugins.libc]
            library  = "libc.so.6"
            headers  = [\(headers)]
            declares = \"\"\"
            \(declares)
            \"\"\"
            [loops.main]

            """)
        return try Shell.run(
            Project.spinhost, ["check", "--headers", "--manifest", folder.url("app.toml").path],
            environment: environment)
    }

    @Test func declarationsAsInTheHeaders_haveNoFault() throws {
        let hostwatch = try Spinhost.run("check", "--headers", "--manifest", Spinhost.example("hostwatch"))
        #expect(hostwatch.status == 0 && hostwatch.errors == "", "\(hostwatch.errors)")
        let mine = try check(
            "\"mine.h\"", "struct pair { short a; int b; }; int use(const struct pair *pair);")
        #expect(mine.status == 0, "\(mine.errors)")
        // Words that headers do not have, and not every compiler.
        let nullable = try check(
            "\"locale.h\"", "char *setlocale(int category, const char *_Nullable locale);")
        #expect(nullable.status == 0, "\(nullable.errors)")
    }

    @Test func structureThatIsTooShort_isAFault_atItsPlace() throws {
        let statvfs = """
            struct statvfs { unsigned long f_bsize, f_frsize; fsblkcnt_t f_blocks, f_bfree, f_bavail; \
            fsfilcnt_t f_files, f_ffree, f_favail; unsigned long f_fsid, f_flag, f_namemax; };
            int statvfs(const char *path, struct statvfs *buf);
            """
        let outcome = try check("\"sys/statvfs.h\"", statvfs)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains("error[M101]: `struct statvfs` differs from its declaration"),
            "\(outcome.errors)")
        #expect(outcome.errors.contains("app.toml:5:1"), "\(outcome.errors)")
    }

    @Test func membersAndFunctions_thatDiffer_areFaultsOfTheirOwn() throws {
        let outcome = try check(
            "\"mine.h\", \"stdlib.h\"",
            "struct pair { int a; int b; };\nint use(struct pair pair);\nlong abs(long n);\nint nothing(void);"
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("`a` does not have 4 bytes there"), "\(outcome.errors)")
        #expect(outcome.errors.contains("`use` differs from its declaration"), "\(outcome.errors)")
        #expect(outcome.errors.contains("the header has no such function"), "\(outcome.errors)")
        #expect(outcome.errors.contains("app.toml:7:1"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("app.toml\n") && outcome.errors.contains("error: 4 faults"))
    }

    private func checkOwn(
        _ header: String, _ declares: String, _ options: String...
    ) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        try folder.write("own.h", header)
        try folder.write(
            "app.toml",
            "[plugins.libc]\nlibrary = \"libc.so.6\"\nheaders = [\"own.h\"]\ndeclares = \"\"\"\n\(declares)\n\"\"\"\n[loops.main]\n"
        )
        return try Shell.run(
            Project.spinhost, ["check", "--headers", "--manifest", folder.url("app.toml").path] + options)
    }

    @Test(arguments: [
        ("typedef long number; number f(number n);", "typedef int number; number f(number n);", "number"),
        (
            "enum level { LOW = 1, HIGH }; int f(enum level l);",
            "enum level { LOW, HIGH }; int f(enum level l);",
            "`LOW` is not 0 there"
        ),
        ("#define GOOD 3", "enum { GOOD = 4 }; int abs(int n);", "`GOOD` is not 4 there"),
        (
            "enum wide { WIDE = 0x100000000 };", "enum wide { SMALL }; int abs(int n);",
            "`enum wide` differs from its declaration"
        ),
        (
            "struct s { double a; };", "struct s { int64_t a; }; int abs(int n);",
            "`a` is not of type `int64_t` there"
        ),
        (
            "struct s { int64_t a[2]; };", "struct s { double a[2]; }; int abs(int n);",
            "`a` is not of type `double[2]` there"
        ),
        (
            "struct s { unsigned a; };", "struct s { int a; }; int abs(int n);",
            "`a` is not of type `int32_t` there"
        ),
        (
            "struct s { long a; };", "struct s { void *a; }; int abs(int n);",
            "`a` is not of type `void *` there"
        ),
        (
            "struct in { long a; }; struct s { long in; };",
            "struct in { long a; }; struct s { struct in in; }; int abs(int n);",
            "`in` is not of type `struct in` there"
        ),
    ])
    func typesThatDiffer_areFaults(_ header: String, _ declares: String, _ message: String) throws {
        let outcome = try checkOwn(header, declares)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains("error[M101]") && outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func typesOfAllKinds_thatAreAsInTheHeader_haveNoFault() throws {
        let types = """
            typedef long number; typedef struct handle handle; typedef number *numbers;
            enum level { BELOW = -1, ABOVE }; typedef enum { RED, GREEN } color; enum { LIMIT = 3 };
            typedef struct { bool b; char c; signed char d; float e; double f[2][LIMIT]; handle *g; enum level h; } all;
            struct outer { all inner[2]; color color; struct { unsigned short x; } own; const char *name; };
            number f(all a, struct outer *o, color c, handle **h, numbers n);
            """
        let outcome = try checkOwn("#include <stdbool.h>\n" + types, types)
        #expect(outcome.status == 0, "\(outcome.errors)")
        // What only the declarations have is nobody's fault.
        let more = try checkOwn("int f(long n);", "typedef long mine; int f(mine n);")
        #expect(more.status == 0, "\(more.errors)")
    }

    @Test func compilersOptions_areHandedOn() throws {
        let header = "#ifdef WIDE\nlong f(long n);\n#endif\n"
        #expect(try checkOwn(header, "long f(long n);").status == 1)
        #expect(try checkOwn(header, "long f(long n);", "-DWIDE").status == 0)
        #expect(
            try checkOwn(header, "long f(long n);", "-DWIDE", "--compiler", "no-such-compiler").status == 69)
    }

    @Test func headerThatIsMissing_isAFault() throws {
        let outcome = try check("\"nowhere.h\"", "int abs(int n);")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("nowhere.h"), "\(outcome.errors)")
    }

    @Test func noCompiler_isExit69() throws {
        let outcome = try check("\"stdlib.h\"", "int abs(int n);", environment: ["CC": "no-such-compiler"])
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("error: `--headers` needs a C compiler: "), "\(outcome.errors)")
    }
}
