import Foundation
import Interfaces
import TestSupport
import Testing

struct BindCommandTests {
    private static let headers: [(library: String, header: String, functions: [String])] = [
        (
            "libc.so.6", "unistd.h",
            [
                "gethostname", "getpid", "read", "write", "readlink", "pipe", "lseek", "getcwd", "sysconf",
                "usleep",
            ]
        ),
        ("libc.so.6", "sys/statvfs.h", ["statvfs", "fstatvfs"]),
        (
            "libc.so.6", "time.h",
            [
                "time", "clock", "difftime", "clock_gettime", "nanosleep", "mktime", "gmtime_r",
                "localtime_r", "strftime", "strptime",
            ]
        ),
        ("libc.so.6", "sys/stat.h", ["stat", "mkdir", "chmod", "umask"]),
        (
            "libc.so.6", "stdlib.h",
            ["div", "lldiv", "getenv", "setenv", "getloadavg", "strtod", "malloc", "free"]
        ),
        ("libc.so.6", "stdio.h", ["fopen", "fclose", "fputs", "fgets", "fread", "rename"]),
        ("libc.so.6", "sys/utsname.h", ["uname"]),
        ("libc.so.6", "sys/resource.h", ["getrusage", "getrlimit"]),
        ("libm.so.6", "math.h", ["hypot", "frexp", "modf", "fma", "ldexp", "lgamma_r", "remquo", "sincos"]),
        (
            "libz.so.1", "zlib.h",
            [
                "zlibVersion", "crc32", "adler32", "compress2", "compressBound", "uncompress", "deflate",
                "gzopen",
                "gzread", "gzclose",
            ]
        ),
        (
            "libsqlite3.so.0", "sqlite3.h",
            [
                "sqlite3_libversion", "sqlite3_open", "sqlite3_close", "sqlite3_prepare_v2", "sqlite3_step",
                "sqlite3_column_int64", "sqlite3_column_text", "sqlite3_finalize", "sqlite3_changes",
                "sqlite3_errmsg",
            ]
        ),
    ]

    @Test(arguments: headers)
    func realHeaders_giveDeclarationsThatCheckAgrees_with(
        _ library: String, _ header: String, _ functions: [String]
    ) throws {
        let bound = try Shell.run(Project.spinhost, ["bind", header] + functions)
        #expect(bound.status == 0, "\(bound.errors)")
        let declarations = CDeclarations(parsing: bound.output)
        #expect(declarations.faults == [], "\(bound.output)")
        #expect(declarations.functions.map(\.name) == functions)
        #expect(declarations.functions.flatMap(\.parameters).allSatisfy { !$0.name.hasPrefix("_") })
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            [plugins.it]
            library  = "\(library)"
            headers  = ["\(header)"]
            declares = '''
            \(bound.output)'''
            [loops.main]

            """)
        let check = try Shell.run(
            Project.spinhost,
            ["check", "--headers", "--deny-warnings", "--manifest", folder.url("app.toml").path])
        #expect(check.status == 0, "\(check.errors)\n\(bound.output)")
    }

    @Test func typesOfTheHeader_areThere_andNothingElse() throws {
        #expect(
            try Spinhost.run("bind", "zlib.h", "compress2").output == """
                typedef unsigned char Byte;
                typedef unsigned long uLong;
                typedef Byte Bytef;
                typedef uLong uLongf;
                int compress2(Bytef *dest, uLongf *destLen, const Bytef *source, uLong sourceLen, int level);

                """)
        #expect(
            try Spinhost.run("bind", "sqlite3.h", "sqlite3_open").output == """
                typedef struct sqlite3 sqlite3;
                int sqlite3_open(const char *filename, sqlite3 **ppDb);

                """)
    }

    @Test func whatCannotBeCalled_isRefused_andTheOthersArePrinted() throws {
        let outcome = try Shell.run(
            Project.spinhost,
            ["bind", "zlib.h", "zlibVersion", "deflateInit", "gzprintf", "zlibversion", "inflateBack"])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("const char *zlibVersion(void);\n"))
        #expect(outcome.output.contains("    alloc_func zalloc;\n"), "\(outcome.output)")
        #expect(
            outcome.output.contains(
                "int inflateBack(z_streamp strm, in_func in, void *in_desc, out_func out, void *out_desc);\n"),
            "\(outcome.output)")
        #expect(
            outcome.errors.contains("error[C041]: `zlib.h`: `deflateInit` is a macro"), "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "error[C006]: `zlib.h`: `gzprintf`: functions with a variable number of arguments are not supported"
            ),
            "\(outcome.errors)")
        #expect(outcome.errors.contains("did you mean `zlibVersion`?"), "\(outcome.errors)")
    }

    @Test func compilersOptions_areHandedOn() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url("include"), withIntermediateDirectories: false)
        try folder.write(
            "include/mine.h",
            "#ifdef WIDE\ntypedef long number;\n#else\ntypedef WIDTH number;\n#endif\nnumber twice(number n);\n"
        )
        func bind(_ options: String..., environment: [String: String] = [:]) throws -> Shell.Outcome {
            try Shell.run(
                Project.spinhost, ["bind", "mine.h", "twice"] + options, in: folder.root,
                environment: environment)
        }
        let wide = try bind("-I", "include", "-D", "WIDE")
        #expect(wide.output == "typedef long number;\nnumber twice(number n);\n", "\(wide.errors)")
        let narrow = try bind("-Iinclude", "-DWIDTH=short", "--compiler", "cc -O1")
        #expect(narrow.output == "typedef short number;\nnumber twice(number n);\n", "\(narrow.errors)")
        let here = try Shell.run(
            Project.spinhost, ["bind", "include/mine.h", "twice", "-DWIDE"], in: folder.root)
        #expect(here.output == wide.output, "\(here.errors)")
        let missing = try bind()
        #expect(missing.status == 66)
        #expect(missing.errors.contains("error: `mine.h` cannot be read: "), "\(missing.errors)")
        let none = try bind("-Iinclude", "--compiler", "no-such-compiler")
        #expect(none.status == 69)
        #expect(none.errors.contains("error: `bind` needs a C compiler: "), "\(none.errors)")
        let other = try bind("-Iinclude", "-DWIDE", environment: ["CC": "no-such-compiler"])
        #expect(other.status == 69)
    }

    @Test(arguments: [
        ["bind"], ["bind", "stdlib.h"], ["bind", "stdlib.h", "a b"], ["bind", "<stdlib.h>", "abs"],
        ["bind", "stdlib.h\"\n#error", "abs"], ["bind", "stdlib.h", "abs", "--steps"],
    ])
    func wrongUse_isExit64(_ arguments: [String]) throws {
        #expect(try Shell.run(Project.spinhost, arguments).status == 64)
    }
}
