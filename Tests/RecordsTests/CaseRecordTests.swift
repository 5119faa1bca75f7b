import Records
import Testing
import TestSupport

struct CaseRecordTests {
    private let type = RecordType(
        cases: [
            ("playing", [("level", .integer(.i32)), ("track", .string)]),
            ("muted", [("reasons", .list(.string))]),
            ("idle", []),
        ], shared: [("device", .string), ("count", .integer(.i64))])

    @Test func newRecord_isInItsFirstCase_withEverythingZero() {
        #expect(
            Record(type).value.json == #"{"case":"playing","device":"","count":0,"level":0,"track":""}"#)
        #expect(Record(type).caseIndex == 0)
        #expect(Record(RecordType([])).caseIndex == nil)
    }

    @Test(arguments: [
        #"{"case":"playing","device":"a","count":1,"level":7,"track":"long enough to own memory of its own"}"#,
        #"{"case":"muted","device":"b","count":2,"reasons":["one","two"]}"#,
        #"{"case":"idle","device":"c","count":3}"#,
    ])
    func json_goesBothWays(text: String) throws {
        #expect(try Record(type, json: text).value.json == text)
    }

    @Test func json_mayNameTheCaseAnywhere_andReadsItsFieldsByTheirTypes() throws {
        let type = RecordType(
            cases: [("a", [("since", .duration)]), ("b", [("since", .bytes)])], shared: [])
        let record = try Record(type, json: #"{"since":"AQI=","case":"b"}"#)
        #expect(record.value == .record([("case", .string("b")), ("since", .bytes([1, 2]))]))
    }

    @Test(arguments: [
        (#"{"device":"a","count":1}"#, "field `case` is missing"),
        (#"{"case":"idle","device":"a"}"#, "field `count` is missing"),
        (#"{"case":"muted","device":"a","count":1}"#, "field `reasons` is missing"),
        (#"{"case":"idle","device":"a","count":1,"level":2}"#, "there is no field `\"level\"`"),
        (#"{"case":"idl","device":"a","count":1}"#, "`case`: there is no case `idl`"),
        (#"{"case":2,"device":"a","count":1}"#, "`case`: int does not name a case"),
        (
            #"{"case":"playing","device":"a","count":1,"level":2147483648,"track":""}"#,
            "`level`: `2147483648` does not fit `i32` (-2147483648 to 2147483647)"
        ),
    ])
    func json_thatDoesNotFit_isAnError(text: String, message: String) {
        #expect { try Record(type, json: text) } throws: { "\($0)" == message }
    }

    @Test func fields_areThoseOfTheCaseOnly() throws {
        var record = Record(type)
        #expect(record["level"] == .int(0))
        #expect(record["reasons"] == nil)
        #expect(throws: RecordError.self) { try record.set("reasons", to: .list([])) }
        try record.set("case", to: .string("muted"))
        #expect(record["level"] == nil)
        try record.set("reasons", to: .list([.string("late")]))
        #expect(record.value.json == #"{"case":"muted","device":"","count":0,"reasons":["late"]}"#)
        #expect(throws: RecordError.self) { try record.set("case", to: .string("gone")) }
        #expect(record["reasons"] == .list([.string("late")]))
    }

    @Test func changeCase_zeroesTheFieldsOfTheCase_andKeepsTheSharedOnes_alsoForTheSameCase() throws {
        var record = try Record(
            type, json: #"{"case":"playing","device":"d","count":4,"level":7,"track":"t"}"#)
        let before = record
        record.changeCase(to: 0)
        #expect(record.value.json == #"{"case":"playing","device":"d","count":4,"level":0,"track":""}"#)
        record.changeCase(to: 1)
        #expect(record.value.json == #"{"case":"muted","device":"d","count":4,"reasons":[]}"#)
        #expect(before["track"] == .string("t"))
    }

    @Test func equality_looksAtTheCaseAndItsFields_notAtWhatIsLeftInTheUnion() throws {
        let type = RecordType(
            cases: [("a", [("x", .integer(.i32))]), ("b", [("y", .integer(.i32))]), ("c", [])], shared: [])
        let a = try Record(type, json: #"{"case":"a","x":1}"#)
        let b = try Record(type, json: #"{"case":"b","y":1}"#)
        #expect(a != b)
        #expect(a == (try Record(type, json: #"{"case":"a","x":1}"#)))
        #expect(a != (try Record(type, json: #"{"case":"a","x":2}"#)))
        #expect(a.hashValue == (try Record(type, json: #"{"case":"a","x":1}"#)).hashValue)
        var c = a
        unsafe c.unsafeMutableBase().storeBytes(of: 2, as: Int32.self)
        #expect(c == (try Record(type, json: #"{"case":"c"}"#)))
    }

    @Test func tagThatNamesNoCase_isReadAsANumber_andNothingInTheUnionIsTouched() {
        var record = Record(type)
        unsafe record.unsafeMutableBase().storeBytes(of: 9, as: Int32.self)
        var copy = record
        #expect(copy.caseIndex == nil)
        #expect(copy.value.json == #"{"case":9,"device":"","count":0}"#)
        #expect(copy == record)
        copy.changeCase(to: 2)
        #expect(copy["case"] == .string("idle"))
    }

    @Test func narrowedType_readsTheSameMemory() throws {
        let record = try Record(type, json: #"{"case":"muted","device":"d","count":4,"reasons":["r"]}"#)
        let narrowed = type.narrowed(toCase: 1)
        #expect(narrowed.fields.map(\.name) == ["case", "device", "count", "reasons"])
        #expect(unsafe ValueMemory.load(record.unsafeBase, as: .record(narrowed)) == record.value)
    }

    @Test func types_areEqualWhenTheirCasesAre() {
        let same = RecordType(cases: [("a", [("x", .bool)]), ("b", [])], shared: [])
        #expect(same == RecordType(cases: [("a", [("x", .bool)]), ("b", [])], shared: []))
        #expect(same != RecordType(cases: [("a", [("y", .bool)]), ("b", [])], shared: []))
        #expect(same != RecordType([("case", .enumeration(EnumerationType(members: ["a", "b"])))]))
        #expect(same.description == #"{ a = { x = "bool" }, b = {} }"#)
    }

    /// Copies, changes and assignments in any order: what each variable holds is what a plain value would.
    @Test func randomUse_ofSharedStorage_isValueSemantics() throws {
        var generator = SeededGenerator(seed: 11)
        var records = (0..<4).map { _ in Record(type) }
        var values = records.map(\.value)
        func text() -> String { String(repeating: "x", count: Int.random(in: 0...40, using: &generator)) }
        for _ in 0..<4_000 {
            let index = Int.random(in: 0..<4, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                let other = Int.random(in: 0..<4, using: &generator)
                (records[index], values[index]) = (records[other], values[other])
            case 1:
                let entered = Int.random(in: 0..<3, using: &generator)
                records[index].changeCase(to: entered)
                values[index] = fresh(entered, device: values[index]["device"], count: values[index]["count"])
            case 2:
                let other = Int.random(in: 0..<4, using: &generator)
                let source = records[other]
                unsafe ValueMemory.assign(
                    records[index].unsafeMutableBase(), from: source.unsafeBase, as: .record(type))
                values[index] = values[other]
            case 3:
                let value = Value.string(text())
                try records[index].set("device", to: value)
                values[index] = values[index].replacing("device", with: value)
            default:
                let name = records[index].caseIndex == 0 ? "track" : "reasons"
                guard records[index].caseIndex != 2 else { continue }
                let value =
                    name == "track" ? Value.string(text()) : .list([.string(text()), .string(text())])
                try records[index].set(name, to: value)
                values[index] = values[index].replacing(name, with: value)
            }
            #expect(records.map(\.value) == values)
        }
    }

    private func fresh(_ index: Int, device: Value?, count: Value?) -> Value {
        let own: [(String, Value)] =
            switch index {
            case 0: [("level", .int(0)), ("track", .string(""))]
            case 1: [("reasons", .list([]))]
            default: []
            }
        return .record(
            [("case", .string(type.cases[index].name)), ("device", device!), ("count", count!)] + own)
    }
}

extension Value {
    fileprivate func replacing(_ name: String, with value: Value) -> Value {
        guard case .map(let entries) = self else { return self }
        return .map(
            entries.map { $0.key == .string(name) ? MapEntry(key: $0.key, value: value) : $0 })
    }
}
