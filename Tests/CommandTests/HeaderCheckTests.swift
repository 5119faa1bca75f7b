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
            outcome.errors.contains("error[M101]: `struct statvfs` is declared otherwise"),
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
        #expect(outcome.errors.contains("`use` is declared otherwise"), "\(outcome.errors)")
        #expect(outcome.errors.contains("there is no such function"), "\(outcome.errors)")
        #expect(outcome.errors.contains("app.toml:7:1"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("app.toml\n") && outcome.errors.contains("error: 4 faults"))
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
