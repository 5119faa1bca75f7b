import Records
import Testing
import TestSupport

struct JSONTests {
    private let type = RecordType([
        ("big", .integer(.u64)), ("low", .integer(.i64)), ("ratio", .double), ("single", .float),
        ("text", .string),
        ("data", .bytes), ("wait", .duration), ("at", .timestamp), ("handle", .pointer),
        ("maybe", .optional(.bool)),
        ("list", .list(.record(RecordType([("z", .integer(.i8)), ("a", .bool)])))),
    ])

    @Test func record_roundTrips_with64BitIntegersWholeAndKeysInOrder() throws {
        let json =
            #"{"big":18446744073709551615,"low":-9223372036854775808,"ratio":0.1,"single":1.5,"#
            + #""text":"a\"\\\n\u0001é🎉","data":"AP8=","wait":"-1.5s","at":"2026-11-21T05:00:00.25Z","handle":null,"#
            + #""maybe":true,"list":[{"z":-1,"a":true},{"z":2,"a":false}]}"#
        #expect(try Record(type, json: json).value.json == json)
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity"])
    func specialDoubles_areStrings(_ name: String) throws {
        let record = try Record(RecordType([("d", .double)]), json: #"{"d":"\#(name)"}"#)
        #expect(record.value.json == #"{"d":"\#(name)"}"#)
    }

    @Test(arguments: [
        ("", "the JSON wants a value at byte 1"), ("{\"a\":1", "the JSON wants `,` or `}` at byte 7"),
        ("[1 2]", "the JSON wants `,` or `]` at byte 4"), ("01", "the JSON wants the end at byte 2"),
        ("{\"a\":1,\"a\":2}", "the JSON has key `a` twice at byte 11"),
        ("\"\\ud800\"", "the JSON has half of a surrogate pair at byte 8"),
        ("1e999", "the JSON has a number beyond a double: `1e999` at byte 6"),
        (
            "-9223372036854775809",
            "the JSON has a whole number beyond 64 bits: `-9223372036854775809` at byte 21"
        ),
        ("tru", "the JSON wants a value at byte 1"),
        ("\"\t\"", "the JSON has a control character in a string; escape it at byte 3"),
        ("-", "the JSON wants a value at byte 2"),
    ])
    func faultyJSON_saysWhatAndWhere(_ text: String, _ message: String) {
        let error = #expect(throws: RecordError.self) { try Value(json: text) }
        #expect(error?.description == message)
    }

    @Test func numbers_areWholeUpTo64Bits_andDoublesWithFractionOrExponent() throws {
        let values: [Value] = [.int(.min), .uint(.max), .int(0), .double(-0.0), .double(1e20), .double(1)]
        #expect(
            try Value(json: "[-9223372036854775808, 18446744073709551615, 0, -0, 1e20, 1.0]") == .list(values)
        )
    }

    @Test func deepNesting_isRefused_notACrash() {
        let error = #expect(throws: RecordError.self) {
            try Value(json: String(repeating: "[", count: 1_000_000))
        }
        #expect(error?.description == "the JSON is nested deeper than 256 at byte 257")
    }

    @Test func wrongShapes_nameTheField() {
        func failure(_ json: String) -> String? {
            let type = RecordType([
                ("a", .record(RecordType([("b", .list(.duration))]))), ("c", .optional(.bool)),
            ])
            do { _ = try Record(type, json: json) } catch { return error.description }
            return nil
        }
        #expect(failure(#"{"a":{"b":["1s","soon"]}}"#) == "`a.b[1]`: `soon` is not a duration such as `1.5s`")
        #expect(failure(#"{"a":{}}"#) == "`a`: field `b` is missing")
        #expect(failure(#"{"a":{"b":[]},"d":1}"#) == "there is no field `\"d\"`")
        #expect(failure(#"{"a":{"b":[]}}"#) == nil)
    }

    @Test func randomValues_surviveTheRoundTrip() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let value = Self.random(depth: 0, using: &generator)
            #expect(try Value(json: value.json) == value)
        }
    }

    /// A record is written from its memory, and a value from the copy of it.
    @Test func records_areWrittenAsTheirValues() throws {
        let cases = RecordType(
            cases: [("a", [("x", .bool), ("t", .string)]), ("b", [])],
            shared: [("n", .integer(.u16)), ("empty", .record(RecordType([])))])
        var records = [Record(type), Record(cases), Record(RecordType([]))]
        var second = Record(cases)
        second.changeCase(to: 1)
        records.append(second)
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<500 {
            var record = Record(type)
            try record.set("big", to: .uint(generator.next()))
            try record.set("low", to: .int(Int64(truncatingIfNeeded: generator.next())))
            try record.set(
                "ratio",
                to: [.double(1 / 3), .double(.nan), .double(-.infinity)].randomElement(using: &generator)!)
            let scalars = (0..<Int.random(in: 0..<20, using: &generator)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(
                        in: 0..<(Bool.random(using: &generator) ? 128 : 0x11_0000), using: &generator))
            }
            try record.set("text", to: .string(String(String.UnicodeScalarView(scalars))))
            records.append(record)
        }
        for record in records {
            var bytes: [UInt8] = []
            bytes.appendJSON(record)
            #expect(String(decoding: bytes, as: UTF8.self) == record.value.json)
        }
    }

    @Test func textThatIsNotUTF8_isRepaired() throws {
        var record = Record(RecordType([("text", .string)]))
        let memory = unsafe record.unsafeMutableBase()
        unsafe ([0x61, 0xFF, 0x22] as [UInt8]).withUnsafeBytes {
            unsafe ValueMemory.storeBytes($0, to: memory)
        }
        var bytes: [UInt8] = []
        bytes.appendJSON(record)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"text":"a\#u{FFFD}\""}"#)
        #expect(record.value.json == #"{"text":"a\#u{FFFD}\""}"#)
    }

    private static func random(depth: Int, using generator: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: .int(Int64(truncatingIfNeeded: generator.next()))
        case 3: .uint(generator.next() | 1 << 63)
        case 4: .double(Double.random(in: -1e300...1e300, using: &generator) + 0.5)
        case 5:
            .string(
                String(
                    String.UnicodeScalarView(
                        (0..<Int.random(in: 0..<9, using: &generator)).compactMap { _ in
                            Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &generator))
                        })))
        case 6:
            .list(
                (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                    random(depth: depth + 1, using: &generator)
                })
        default:
            .record(
                (0..<Int.random(in: 0..<4, using: &generator)).map {
                    ("k\($0)", random(depth: depth + 1, using: &generator))
                })
        }
    }
}
