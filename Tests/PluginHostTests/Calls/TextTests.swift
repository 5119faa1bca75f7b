import Interfaces
import PluginHost
import Records
import Testing

/// Text, bytes and memory that C hands over.
@Suite struct TextTests {
    let host: TestHost
    let image: PluginImage

    init() throws {
        host = try TestHost()
        image = try host.open("text.c")
    }

    @Test func `text, bytes and lists are read in place`() throws {
        let text = Value.string("größer")
        #expect(try call(image, "int64_t length(const char *text)", nil, .value(text))["result"] == .int(8))
        #expect(
            try call(image, "int64_t length(const char *text)", nil, .value(.string("")))["result"] == .int(0)
        )
        #expect(
            try call(image, "int64_t size(spin_string text)", nil, .value(.string("a\0b")))["result"]
                == .int(3))
        #expect(
            try call(image, "int64_t size_behind(const spin_string *text)", nil, .value(.string("a\0b")))[
                "result"]
                == .int(3))
        let sum = try call(
            image, "int64_t sum(const uint8_t *bytes, size_t count)", nil, .value(.bytes([1, 2, 255])),
            .value(.int(3)))
        #expect(sum["result"] == .int(258))
        let total = try call(
            image, "double total(const double *numbers, size_t count)", nil,
            .value(.list([.double(1), .double(0.5)])), .value(.int(2)))
        #expect(total["result"] == .double(1.5))
    }

    @Test func `text with a NUL inside does not become C text`() throws {
        let error = #expect(throws: PluginError.self) {
            try call(image, "int64_t length(const char *text)", nil, .value(.string("a\0b")))
        }
        #expect(error?.code == .badArgument)
        #expect(error?.message == "`length` takes C text for `text`, which cannot hold a NUL")
        #expect(error?.symbol == "length")
    }

    @Test func `returned text is copied, and null is null`() throws {
        #expect(try call(image, "const char *greeting(void)")["result"] == .string("grüß dich"))
        #expect(try call(image, "const char *no_text(void)")["result"] == .null)
        #expect(try call(image, "spin_string some_string(void)")["result"] == .string("abc"))
        #expect(try call(image, "spin_bytes some_bytes(void)")["result"] == .bytes([0, 255]))
    }

    @Test func `a null after a text leaves null`() throws {
        let function = try CFunction(parsing: "const char *greeting(void)")
        let greeting = try prepare(function, at: image.address(of: "greeting"), [])
        try greeting.invoke()
        let nothing = try prepare(function, at: image.address(of: "no_text"), [])
        try nothing.invoke()
        #expect(outcome(greeting)["result"] == .string("grüß dich"))
        #expect(outcome(nothing)["result"] == .null)
    }

    @Test(arguments: [
        ("const char *invalid_text(void)", "the text is not UTF-8 at byte 2"),
        ("spin_string invalid_string(void)", "the text is not UTF-8 at byte 0"),
        ("spin_string null_string(void)", "a null pointer comes with a size of 7"),
        ("spin_string huge_string(void)", "a size of 18446744073709551615 is beyond the limit of 1 GiB"),
    ])
    func `text that is none is a fault of the call`(_ prototype: String, _ reason: String) throws {
        let error = #expect(throws: PluginError.self) { try call(image, prototype) }
        let name = try CFunction(parsing: prototype).name
        #expect(error?.code == .badResult)
        #expect(error?.message == "`\(name)` returned a value that is not of its type: \(reason)")
    }

    @Test func `a returned string is freed by the function that is named`() throws {
        let before = try call(image, "int64_t releases(void)")["result"]
        let found = try call(
            image, "char *copied(const char *text)", nil, .value(.string("copy me")), release: "release")
        #expect(found["result"] == .string("copy me"))
        #expect(before == .int(0))
        #expect(try call(image, "int64_t releases(void)")["result"] == .int(1))
    }

    @Test func `errno is 0 when the function begins and taken when it returns`() throws {
        let failed = try call(image, "int32_t fail_with(int32_t number)", nil, .value(.int(28)))
        #expect(failed == .record([("result", .int(-1)), ("errno", .int(28))]))
        #expect(try call(image, "int32_t found_errno(void)")["result"] == .int(0))
        #expect(try call(image, "int32_t found_errno(void)")["errno"] == .int(0))
    }

    @Test func `written bytes are as many as the function says`() throws {
        let declaration = "int64_t write_bytes(uint8_t *buffer, size_t size)"
        let half = try call(
            image, declaration, nil, .out(6, .bytes(used: "result")), .value(.int(6)))
        #expect(half["out"] == .record([("buffer", .bytes([0, 1, 2]))]))
        let all = try call(image, declaration, nil, .out(6, .bytes(used: nil)), .value(.int(6)))
        #expect(all["out"] == .record([("buffer", .bytes([0, 1, 2, 0, 0, 0]))]))
        let elements = try call(image, declaration, nil, .out(4), .value(.int(4)))
        #expect(elements["out"] == .record([("buffer", .list([.int(0), .int(1), .int(0), .int(0)]))]))
    }

    @Test func `more written bytes than the buffer has are a fault of the call`() throws {
        let error = #expect(throws: PluginError.self) {
            try call(
                image, "int64_t claim(uint8_t *buffer, size_t size)", nil, .out(2, .bytes(used: "result")),
                .value(.int(2)))
        }
        #expect(error?.code == .badResult)
        #expect(
            error?.message
                == "`claim` returned 1002 as the number of bytes in `buffer`, which has 2 bytes")
    }

    @Test func `written text ends at the first NUL or with the buffer`() throws {
        let declaration = "int32_t write_text(char *buffer, size_t size)"
        let whole = try call(image, declaration, nil, .out(64, .string), .value(.int(64)))
        #expect(whole["out"] == .record([("buffer", .string("written by C"))]))
        let cut = try call(image, declaration, nil, .out(5, .string), .value(.int(5)))
        #expect(cut["out"] == .record([("buffer", .string("writt"))]))
    }

    @Test func `written text that is not UTF-8 is a fault of the call`() throws {
        let error = #expect(throws: PluginError.self) {
            try call(
                image, "int32_t write_invalid_text(char *buffer, size_t size)", nil, .out(8, .string),
                .value(.int(8)))
        }
        #expect(error?.code == .badResult)
        #expect(
            error?.message
                == "`write_invalid_text` wrote a value that is not of its type to `buffer`: the text is not UTF-8 at byte 0"
        )
    }

    @Test func `an expression over the result cannot say how many bytes were written`() throws {
        let error = #expect(throws: InterfaceError.self) {
            try call(
                image, "int64_t write_bytes(uint8_t *buffer, size_t size)", nil,
                .out(6, .bytes(used: "result * 2")), .value(.int(6)))
        }
        #expect(error?.code == .outParameterForm)
    }
}
