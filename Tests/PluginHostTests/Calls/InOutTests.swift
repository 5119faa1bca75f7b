import Interfaces
import PluginHost
import Records
import Testing

/// Memory that a function reads and writes, what says how much of it is used, and null.
@Suite struct InOutTests {
    let host: TestHost
    let image: PluginImage

    init() throws {
        host = try TestHost()
        image = try host.open(
            path: try PluginFixture.path(
                source: """
                    #define _Nullable
                    #include <stdint.h>
                    #include <stdlib.h>
                    #include <string.h>
                    int32_t sort(int32_t *values, int32_t count) {
                        for (int i = 0; i < count; i++) for (int j = i + 1; j < count; j++)
                            if (values[j] < values[i]) { int32_t t = values[i]; values[i] = values[j]; values[j] = t; }
                        return count;
                    }
                    int32_t shout(char *text) { for (; *text; text++) *text -= 32; return 0; }
                    int32_t fill(uint8_t *to, uint16_t *size) { memset(to, 7, *size); *size /= 2; return 0; }
                    int32_t boast(uint8_t *to, uint16_t *size) { *size = 999; return 0; }
                    int32_t is_null(const char *text) { return text == 0; }
                    int32_t first(const int32_t *_Nullable values) { return values ? values[0] : -1; }
                    typedef struct { int32_t x; double y; } point;
                    int32_t whole(const point *_Nullable point) { return point ? point->x : -1; }
                    static int32_t freed;
                    void release(void *text) { freed++; free(text); }
                    int32_t releases(void) { return freed; }
                    int32_t make(int32_t kind, char **text) {
                        *text = kind == 0 ? 0 : strdup(kind == 1 ? "made" : "\\xFF");
                        return 0;
                    }
                    int32_t lend(const char **text) { *text = "lent"; return 0; }
                    int32_t run_over(int32_t *value) { value[1] = 1; return 0; }
                    """, as: "in-out.c"))
    }

    @Test func `memory begins with the value, and what is left of it with zeros`() throws {
        let sorted = try call(
            image, "int32_t sort(int32_t *values, int32_t count)", nil,
            .inOut(.list([.int(3), .int(-1), .int(2)]), 5), .value(.int(5)))
        #expect(sorted["out"]?["values"] == .list([.int(-1), .int(0), .int(0), .int(2), .int(3)]))
        let shouted = try call(
            image, "int32_t shout(char *text)", nil, .inOut(.string("abc"), 4, .string))
        #expect(shouted["out"]?["text"] == .string("ABC"))
    }

    @Test func `a declared bound says how many elements there are`() throws {
        let sorted = try call(
            image, "int32_t sort(int32_t values[3], int32_t count)", nil,
            .inOut(.list([.int(2), .int(1)])), .value(.int(2)))
        #expect(sorted["out"]?["values"] == .list([.int(1), .int(2), .int(0)]))
    }

    @Test func `another out-parameter says how many bytes are used`() throws {
        let filled = try call(
            image, "int32_t fill(uint8_t *to, uint16_t *size)", nil,
            .out(8, .bytes(used: "out.size")), .inOut(.int(8)))
        #expect(filled["out"] == .record([("to", .bytes([7, 7, 7, 7])), ("size", .int(4))]))
        let error = #expect(throws: PluginError.self) {
            try call(
                image, "int32_t boast(uint8_t *to, uint16_t *size)", nil,
                .out(8, .bytes(used: "out.size")), .inOut(.int(8)))
        }
        #expect(error?.code == .badResult)
        #expect(error?.message == "`boast` wrote 999 as the number of bytes in `to`, which has 8 bytes")
    }

    @Test(arguments: [
        (Argument.inOut(.string("abcd"), 4, .string), "is given 5 bytes for `text`, which has 4 bytes"),
        (
            .inOut(.string("a\0b"), 8, .string),
            "takes C text for `text`, which cannot hold a NUL"
        ),
        (.inOut(.bytes([1, 2, 3]), 2, .bytes(used: nil)), "is given 3 bytes for `text`, which has 2 bytes"),
        (
            .inOut(.list([.int(1), .int(2), .int(3)]), 2),
            "is given 3 elements for `text`, which has room for 2"
        ),
    ])
    func `a value that does not fit is a fault, and nothing is called`(
        _ argument: Argument, _ message: String
    ) throws {
        let error = #expect(throws: PluginError.self) {
            try call(image, "int32_t shout(char *text)", nil, argument)
        }
        #expect(error?.code == .badArgument)
        #expect(error?.message == "`shout` \(message)")
    }

    @Test func `a call that writes beyond it is a fault`() throws {
        let error = #expect(throws: PluginError.self) {
            try call(image, "int32_t run_over(int32_t *value)", nil, .inOut(.int(1)))
        }
        #expect(error?.code == .callOverran)
    }

    @Test func `the initial value of an argument is kept`() throws {
        let function = try CFunction(parsing: "int32_t sort(int32_t *values, int32_t count)")
        let prepared = try prepare(
            function, at: image.address(of: "sort"), [.inOut(.list([.int(9), .int(8)]), 2), .value(.int(2))])
        for _ in 0..<2 {
            try prepared.invoke()
            #expect(outcome(prepared)["out"]?["values"] == .list([.int(8), .int(9)]))
        }
    }

    @Test func `null is null`() throws {
        #expect(try call(image, "int32_t is_null(const char *text)", nil, .null)["result"] == .int(1))
        #expect(
            try call(image, "int32_t is_null(const char *text)", nil, .value(.string("")))["result"]
                == .int(0))
    }

    @Test func `an optional argument is null without a value, and passed as usual with one`() throws {
        let text = "int32_t is_null(const char *_Nullable text)"
        #expect(try call(image, text, nil, .value(.null))["result"] == .int(1))
        #expect(try call(image, text, nil, .value(.string("")))["result"] == .int(0))
        let list = "int32_t first(const int32_t *_Nullable values)"
        #expect(try call(image, list, nil, .value(.null))["result"] == .int(-1))
        #expect(try call(image, list, nil, .value(.list([.int(7)])))["result"] == .int(7))
        let record = CDeclarations(
            parsing:
                "typedef struct { int32_t x; double y; } point; int32_t whole(const point *_Nullable point);")
        let whole = try #require(record.function("whole"))
        for (value, result) in [
            (Value.null, -1), (.record([("x", .int(5)), ("y", .double(0))]), 5),
        ] {
            let prepared = try prepare(whole, at: image.address(of: "whole"), [.value(value)])
            try prepared.invoke()
            #expect(outcome(prepared)["result"] == .int(Int64(result)))
        }
        let error = #expect(throws: PluginError.self) {
            try call(image, text, nil, .value(.string("a\0b")))
        }
        #expect(error?.code == .badArgument)
    }

    @Test func `one memory serves a value, null, and a value again`() throws {
        let function = try CFunction(parsing: "int32_t is_null(const char *_Nullable text)")
        let prepared = try prepare(function, at: image.address(of: "is_null"), [.value(.null)])
        for value in [Value.null, .string("a"), .null, .string("")] {
            // Safe because the address is that of an initialised field of the type.
            unsafe try ValueMemory.store(
                value, to: prepared.inputAddress(0), as: prepared.interface.signature.inputs.fields[0].type)
            try prepared.invoke()
            #expect(outcome(prepared)["result"] == .int(value == .null ? 1 : 0))
        }
    }

    @Test func `text that a function makes is copied and freed, and what it lends is not`() throws {
        let make = "int32_t make(int32_t kind, char **text)"
        func releases() throws -> Value? { try call(image, "int32_t releases(void)")["result"] }
        #expect(try releases() == .int(0))
        func made(_ kind: Int64) throws -> Value? {
            try call(image, make, nil, .value(.int(kind)), .out(1, .string), release: "release")["out"]?[
                "text"]
        }
        #expect(try made(0) == .null)
        #expect(try releases() == .int(0))
        #expect(try made(1) == .string("made"))
        #expect(try releases() == .int(1))
        let error = #expect(throws: PluginError.self) { try made(2) }
        #expect(
            error?.message
                == "`make` wrote to `text` a value that is not of its type: the text is not UTF-8 at byte 0")
        #expect(try releases() == .int(2))
        let lent = try call(
            image, "int32_t lend(const char **text)", nil, .out(1, .string), release: "release")
        #expect(lent["out"]?["text"] == .string("lent"))
        #expect(try releases() == .int(2))
    }

    @Test func `text that is returned as const is not freed`() throws {
        let text = try host.open("text.c")
        let before = try call(text, "int64_t releases(void)")["result"]
        #expect(
            try call(text, "const char *greeting(void)", nil, release: "release")["result"]
                == .string("grüß dich"))
        #expect(try call(text, "int64_t releases(void)")["result"] == before)
    }
}
