import Records
import Testing

/// Optionals of the expression language as values.
struct OptionalValueTests {
    private let none = Value.optional(nil)
    private let some = Value.optional(.int(5))

    @Test func optional_isItsValueOrNull_asJSON() {
        #expect(Value.list([some, none, .optional(.optional(.null))]).json == "[5,null,null]")
        #expect(some.kind == "optional" && none.kind == "optional")
    }

    @Test func optionals_areEqualByContent_andToNothingElse() {
        #expect(some == .optional(.int(5)) && none == .optional(nil))
        #expect(some != none && some != .optional(.uint(5)) && some != .int(5) && none != .null)
        #expect(none != .optional(.null) && .optional(none) != none)
        #expect(Set([some, none, some, .optional(.null), none]).count == 3)
    }

    @Test func optional_isStoredInAnOptionalAlone() throws {
        var record = Record(RecordType([("n", .optional(.integer(.i8))), ("i", .integer(.i8))]))
        try record.set("n", to: some)
        #expect(record["n"] == .int(5))
        let error = #expect(throws: RecordError.self) { try record.set("n", to: .optional(.int(300))) }
        #expect(error?.description == "`n`: `300` does not fit `i8` (-128 to 127)")
        #expect(record["n"] == .int(5))
        try record.set("n", to: none)
        #expect(record["n"] == .null)
        let nested = #expect(throws: RecordError.self) { try record.set("n", to: .optional(some)) }
        #expect(nested?.description == "`n`: an optional of an optional does not convert to `i8?`")
        #expect(record["n"] == .null)
        let other = #expect(throws: RecordError.self) { try record.set("i", to: some) }
        #expect(other?.description == "`i`: optional does not convert to `i8`")
    }
}
