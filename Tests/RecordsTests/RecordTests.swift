import Records
import Testing
import TestSupport

struct RecordTests {
    private let type = RecordType([
        ("count", .integer(.i32)), ("name", .string), ("tags", .list(.string)),
        ("place", .record(RecordType([("x", .double), ("label", .string)]))), ("note", .optional(.string)),
        ("mode", .enumeration(EnumerationType(members: ["on", "off"]))),
    ])

    @Test func newRecord_isZeroEmptyAbsentAndFirstMember() {
        #expect(
            Record(type).value.json
                == #"{"count":0,"name":"","tags":[],"place":{"x":0.0,"label":""},"note":null,"mode":"on"}"#)
    }

    @Test func copy_sharesStorage_untilOneChanges() throws {
        var first = Record(type)
        try first.set("name", to: .string("first"))
        let second = first
        #expect(first.sharesStorage(with: second))
        try first.set("count", to: .int(7))
        #expect(!first.sharesStorage(with: second))
        #expect(first["count"] == .int(7))
        #expect(second["count"] == .int(0))
        #expect(second["name"] == .string("first"))
    }

    @Test func unsharedRecord_changesInPlace() throws {
        var record = Record(type)
        let before = unsafe record.unsafeBase
        try record.set("count", to: .int(1))
        #expect(unsafe record.unsafeBase == before)
    }

    @Test func copies_outliveTheOriginal_withTheirStringsAndLists() throws {
        func make() throws -> Record {
            var record = Record(type)
            try record.set(
                "tags", to: .list([.string("a"), .string(String(repeating: "long ", count: 100))]))
            try record.set("note", to: .string("kept"))
            var copy = record
            try copy.set("count", to: .int(2))
            return copy
        }
        let copy = try make()
        #expect(copy["tags"] == .list([.string("a"), .string(String(repeating: "long ", count: 100))]))
        #expect(copy["note"] == .string("kept"))
    }

    @Test func strings_areNULTerminatedInMemory() throws {
        var record = Record(RecordType([("name", .string)]))
        try record.set("name", to: .string("grün"))
        let text = unsafe record.unsafeBase.load(as: UnsafePointer<CChar>.self)
        #expect(unsafe String(cString: text) == "grün")
        #expect(unsafe record.unsafeBase.load(fromByteOffset: 8, as: Int.self) == 5)
    }

    @Test func equality_isByContent_andNaNEqualsItself() throws {
        var (first, second) = (Record(type), Record(type))
        for value in [Value.list([.string("x")]), .list([])] {
            try first.set("tags", to: value)
            #expect(first != second)
            try second.set("tags", to: value)
            #expect(first == second)
        }
        try first.set("place", to: .record([("x", .double(.nan)), ("label", .string(""))]))
        try second.set("place", to: .record([("x", .double(.nan)), ("label", .string(""))]))
        #expect(first == second)
        try second.set("place", to: .record([("x", .double(-0.0)), ("label", .string(""))]))
        try first.set("place", to: .record([("x", .double(0.0)), ("label", .string(""))]))
        #expect(first != second)
    }

    @Test func set_ofAValueThatDoesNotFit_saysWhereAndWhy_andLeavesTheRecord() throws {
        var record = Record(RecordType([("small", .integer(.u8)), ("list", .list(.integer(.i8)))]))
        func failure(_ name: String, _ value: Value) -> String {
            do { try record.set(name, to: value) } catch { return error.description }
            return "no error"
        }
        #expect(failure("small", .int(300)) == "`small`: `300` does not fit `u8` (0 to 255)")
        #expect(failure("small", .int(-1)) == "`small`: `-1` does not fit `u8` (0 to 255)")
        #expect(failure("small", .double(1)) == "`small`: double does not convert to `u8`")
        #expect(
            failure("list", .list([.int(1), .int(128)])) == "`list[1]`: `128` does not fit `i8` (-128 to 127)"
        )
        #expect(failure("smal", .int(1)) == "there is no field `smal`")
        #expect(record.value.json == #"{"small":0,"list":[]}"#)
    }

    @Test(arguments: IntegerType.allCases)
    func integers_keepTheirExtremes(_ integer: IntegerType) throws {
        var record = Record(RecordType([("n", .integer(integer))]))
        let least = integer.isSigned ? Int64.min >> (64 - 8 * integer.size) : 0
        let greatest = UInt64.max >> (64 - 8 * integer.size + (integer.isSigned ? 1 : 0))
        try record.set("n", to: .int(least))
        #expect(record.value.json == #"{"n":\#(least)}"#)
        try record.set("n", to: .uint(greatest))
        #expect(record.value.json == #"{"n":\#(greatest)}"#)
        #expect(throws: RecordError.self) { try record.set("n", to: .double(0)) }
        if greatest < UInt64.max {
            #expect(throws: RecordError.self) { try record.set("n", to: .uint(greatest + 1)) }
        }
    }
}
