import Interfaces
import PluginHost
import Records
import Testing

/// What a function does wrong becomes an error that names it, and the host goes on.
@Suite struct FaultTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    @Test func `libc fills arrays, text and structures`() throws {
        let libc = try host.open(system: "libc.so.6")
        let load = try call(
            libc, "int getloadavg(double loadavg[], int nelem);", nil, .out(3), .value(.int(3)))
        #expect(load["result"] == .int(3))
        guard case .list(let figures)? = load["out"]?["loadavg"] else { Issue.record("no list"); return }
        #expect(figures.count == 3)
        let name = try call(
            libc, "int gethostname(char *name, size_t len);", nil, .out(256, .string), .value(.int(256)))
        #expect(name["result"] == .int(0))
        #expect(name["out"]?["name"] != .string(""))
        let declarations = """
            struct statvfs { unsigned long f_bsize, f_frsize; fsblkcnt_t f_blocks, f_bfree, f_bavail;
                             fsfilcnt_t f_files, f_ffree, f_favail; unsigned long f_fsid, f_flag, f_namemax;
                             int spare[6]; };
            int statvfs(const char *path, struct statvfs *buf);
            """
        let disk = try call(libc, declarations, "statvfs", .value(.string("/")), .out(1))
        #expect(disk["result"] == .int(0))
        guard case .uint(let size)? = disk["out"]?["buf"]?["f_bsize"] else { Issue.record("no size"); return }
        #expect(size >= 512)
        let missing = try call(libc, declarations, "statvfs", .value(.string("/no such folder")), .out(1))
        #expect(missing["result"] == .int(-1))
        #expect(missing["errno"] == .int(2))
    }

    @Test func `the eleven members of the man page are 24 bytes too few for statvfs`() throws {
        let libc = try host.open(system: "libc.so.6")
        let declarations = """
            struct statvfs { unsigned long f_bsize, f_frsize; fsblkcnt_t f_blocks, f_bfree, f_bavail;
                             fsfilcnt_t f_files, f_ffree, f_favail; unsigned long f_fsid, f_flag, f_namemax; };
            int statvfs(const char *path, struct statvfs *buf);
            """
        let error = #expect(throws: PluginError.self) {
            try call(libc, declarations, "statvfs", .value(.string("/")), .out(1))
        }
        #expect(error?.code == .callOverran)
        #expect(error?.message == "`statvfs` wrote 24 bytes past the end of `buf`, which has 88 bytes")
    }

    @Test(arguments: [1, 17, 4096]) func `an overrun is counted, and the next call is a new one`(count: Int)
        throws
    {
        let image = try host.open("overruns.c")
        let past = CDeclarations(parsing: "void past_the_end(uint8_t *buffer, int32_t count);")
        let prepared = try prepare(
            try #require(past.functions.first), at: image.address(of: "past_the_end"),
            [.out(10), .value(.int(Int64(10 + count)))])
        for _ in 0..<2 {
            let error = #expect(throws: PluginError.self) { try prepared.invoke() }
            #expect(
                error?.message
                    == "`past_the_end` wrote \(count) \(count == 1 ? "byte" : "bytes") past the end of `buffer`, which has 10 bytes"
            )
        }
        // Safe because the input is an `int32_t`.
        unsafe prepared.inputAddress(0).storeBytes(of: 10, as: Int32.self)
        try prepared.invoke()
        let error = #expect(throws: PluginError.self) {
            try call(
                image, "void before_the_start(uint8_t *buffer, int32_t count);", nil, .out(10),
                .value(.int(Int64(count))))
        }
        #expect(
            error?.message
                == "`before_the_start` wrote \(count) \(count == 1 ? "byte" : "bytes") before the start of `buffer`, which has 10 bytes"
        )
    }

    @Test func `a C++ exception is a fault of the call`() throws {
        let image = try host.open("throws.cpp")
        let error = #expect(throws: PluginError.self) {
            try call(image, "int32_t throw_text(const char *text)", nil, .value(.string("no paper")))
        }
        #expect(error?.code == .callThrew)
        #expect(error?.message == "`throw_text` threw a C++ exception: `no paper`")
        let number = #expect(throws: PluginError.self) {
            try call(image, "int32_t throw_number(int32_t number)", nil, .value(.int(7)))
        }
        #expect(number?.message == "`throw_number` threw a C++ exception")
        let long = #expect(throws: PluginError.self) {
            try call(
                image, "int32_t throw_text(const char *text)", nil,
                .value(.string(String(repeating: "ü", count: 2000))))
        }
        #expect(long?.message.hasPrefix("`throw_text` threw a C++ exception: `üüü") == true)
        #expect((500...600).contains(long?.message.utf8.count ?? 0))
    }

    @Test func `an exception of the function that frees a string is a fault of the call`() throws {
        let image = try host.open("throws.cpp")
        let error = #expect(throws: PluginError.self) {
            try call(image, "char *some_text(void)", release: "throw_release")
        }
        #expect(
            error?.message
                == "`some_text` returned a string whose release by `throw_release` threw a C++ exception: `cannot free`"
        )
    }
}
