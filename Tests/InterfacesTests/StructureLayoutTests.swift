@testable import Interfaces
import Records
import TestSupport
import Testing

/// What the parser says about sizes, against what the platform's C compiler says.
struct StructureLayoutTests {
    /// Structures of ours: the same text goes to the compiler.
    private static let own = """
        struct point { double x, y; };
        struct small { char a; short b; char c; };
        struct padded { char tag; double value; char end; };
        struct widths { bool a; int8_t b; uint16_t c; int32_t d; uint64_t e; float f; long g; unsigned char h; };
        struct nested { char tag; struct point at; struct small more[3]; };
        struct grid { double cells[2][3]; char name[65]; };
        struct list { struct list *next; const char *text; void **slots; size_t count; };
        enum level { LOW, HIGH = 9 };
        struct mixed { char a; enum level level; char b[3]; long long c; };
        struct last { char a[7]; };
        typedef struct { int fd; short events, revents; } request;
        struct inner { struct deep { char a; struct { int64_t b; char c; } d; } e; char f; };
        """

    /// Structures of the system: the compiler knows them from its headers.
    private static let system = """
        struct statvfs { unsigned long f_bsize, f_frsize; fsblkcnt_t f_blocks, f_bfree, f_bavail; fsfilcnt_t f_files, f_ffree, f_favail;
                         unsigned long f_fsid, f_flag, f_namemax; int spare[6]; };
        struct timespec { time_t tv_sec; long tv_nsec; };
        struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone; };
        struct utsname { char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65]; };
        struct pollfd { int fd; short events; short revents; };
        struct passwd { char *pw_name; char *pw_passwd; uid_t pw_uid; gid_t pw_gid; char *pw_gecos; char *pw_dir; char *pw_shell; };
        struct dirent { ino_t d_ino; off_t d_off; unsigned short d_reclen; unsigned char d_type; char d_name[256]; };
        struct rlimit { rlim_t rlim_cur, rlim_max; };
        """

    private static let headers = [
        "stdint.h", "stddef.h", "stdbool.h", "stdio.h", "sys/types.h", "sys/statvfs.h", "time.h",
        "sys/utsname.h", "poll.h",
        "pwd.h", "dirent.h", "sys/resource.h", "sys/socket.h", "netinet/in.h", "linux/types.h", "uchar.h",
    ].map { "#include <\($0)>\n" }.joined()

    private func program(_ before: String, _ prints: String) -> String {
        "#define _GNU_SOURCE\n\(Self.headers)\(before)\nint main(void) {\n\(prints)return 0;\n}\n"
    }

    @Test func everyStructure_isLaidOutAsTheCompilerDoes() throws {
        let declarations = CDeclarations(parsing: Self.own + Self.system)
        #expect(declarations.faults == [])
        var prints = ""
        var found = ""
        for structure in declarations.structures where !structure.name.isEmpty {
            let type = structure.name == "request" ? "request" : "struct \(structure.name)"
            prints += "printf(\"\(structure.name) %zu %zu\\n\", sizeof(\(type)), _Alignof(\(type)));\n"
            found += "\(structure.name) \(structure.size) \(structure.alignment)\n"
            for member in structure.members where !["spare"].contains(member.name) {
                prints +=
                    "printf(\"  \(member.name) %zu %zu\\n\", offsetof(\(type), \(member.name)), sizeof(((\(type) *)0)->\(member.name)));\n"
                found += "  \(member.name) \(member.offset) \(try #require(member.type.size))\n"
            }
        }
        #expect(try CCompiler().output(of: program(Self.own, prints)) == found)
        #expect(declarations.structures.count >= 19)
    }

    @Test func everyRecord_hasItsStructuresLayout() throws {
        for structure in CDeclarations(parsing: Self.own + Self.system).structures {
            let record = structure.recordType
            #expect(record.size == structure.size, "\(structure)")
            #expect(record.alignment == structure.alignment, "\(structure)")
            #expect(record.fields.map(\.offset) == structure.members.map(\.offset), "\(structure)")
            #expect(record.fields.map(\.type.size) == structure.members.map(\.type.size), "\(structure)")
        }
    }

    @Test func everyStandardType_hasTheCompilersWidthAndSign() throws {
        var prints = ""
        var found = ""
        for (name, type) in CStandardTypes.typedefs.sorted(by: { $0.key < $1.key }) {
            guard case .integer(let integer) = type, !name.hasPrefix("spin_") else { continue }
            prints += "printf(\"\(name) %zu %d\\n\", sizeof(\(name)), (\(name))-1 < (\(name))1);\n"
            found += "\(name) \(integer.size) \(integer.isSigned ? 1 : 0)\n"
        }
        #expect(try CCompiler().output(of: program("", prints)) == found)
    }

    @Test func everyWordOfC_hasTheCompilersWidthAndSign() throws {
        let types = [
            "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
            "unsigned long",
            "long long", "unsigned long long", "bool", "float", "double", "void *",
        ]
        let prints = types.map { "printf(\"%zu %zu\\n\", sizeof(\($0)), _Alignof(\($0)));\n" }.joined()
        let found = try types.map { type in
            let parameter = try CFunction(parsing: "void f(\(type) x)").parameters[0].type
            return "\(try #require(parameter.size)) \(parameter.alignment)\n"
        }.joined()
        #expect(try CCompiler().output(of: program("", prints)) == found)
        let sign = try CCompiler().output(of: program("", "printf(\"%d\", (char)-1 < 0);\n"))
        #expect(CType.character.valueType == .integer(sign == "1" ? .i8 : .u8))
    }
}
