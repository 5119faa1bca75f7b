import Records
import Testing
import TestSupport

struct RecordCoderTests {
    /// A record as bytes.
    private func encoded(_ record: Record, _ coder: RecordCoder) -> [UInt8] {
        let writer = ByteWriter()
        coder.write(record, to: writer)
        return writer.bytes
    }

    /// The record that is all of the bytes.
    private func decoded(_ bytes: [UInt8], _ coder: RecordCoder) throws(DamagedBytes) -> Record {
        try read(bytes) { reader throws(DamagedBytes) in
            let record = try coder.read(&reader)
            guard reader.isAtEnd else { throw DamagedBytes("bytes are left") }
            return record
        }
    }

    @Test(arguments: UInt64(0)..<300)
    func aRecordReadsAsItWasWritten(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let type = generator.stateType()
        let coder = RecordCoder(type)
        var again = generator.record(type)
        for _ in 0..<4 {
            let record = generator.record(type)
            let bytes = encoded(record, coder)
            #expect(try decoded(bytes, coder) == record)
            try read(bytes) { reader throws(DamagedBytes) in try coder.readAgain(into: &again, &reader) }
            #expect(again == record)
        }
    }

    @Test(arguments: UInt64(0)..<300)
    func aDifferenceMakesTheNewRecordOfTheOldOne(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let type = generator.stateType()
        let coder = RecordCoder(type)
        var record = generator.record(type)
        var (known, folded) = (record, record)
        for _ in 0..<12 {
            let old = record
            record = generator.changed(record)
            let whole = generator.chance(6)
            let writer = ByteWriter()
            coder.writeDifference(of: record, from: &known, whole: whole, to: writer)
            #expect(known == record)
            let isWhole = try read(writer.bytes) { reader throws(DamagedBytes) in
                let isWhole = try coder.readDifference(into: &folded, &reader)
                guard reader.isAtEnd else { throw DamagedBytes("bytes are left") }
                return isWhole
            }
            #expect(folded == record)
            #expect(isWhole == (!type.cases.isEmpty && (whole || old.caseIndex != record.caseIndex)))
            if old == record, !isWhole { #expect(writer.bytes == [0]) }
        }
    }

    @Test(arguments: UInt64(0)..<60)
    func everyCutAndChangedByte_givesAnotherRecordOrDamage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let type = generator.stateType()
        let coder = RecordCoder(type)
        let record = generator.record(type)
        var known = generator.record(type)
        let old = known
        let writer = ByteWriter()
        coder.writeDifference(of: record, from: &known, whole: false, to: writer)
        let (whole, difference) = (encoded(record, coder), writer.bytes)
        func apply(_ bytes: [UInt8]) throws(DamagedBytes) -> Record {
            var folded = old
            try read(bytes) { reader throws(DamagedBytes) in
                _ = try coder.readDifference(into: &folded, &reader)
            }
            return folded
        }
        for end in whole.indices {
            #expect(throws: DamagedBytes.self) { try decoded(Array(whole.prefix(end)), coder) }
        }
        for end in difference.indices {
            #expect(throws: DamagedBytes.self) { try apply(Array(difference.prefix(end))) }
        }
        for mask in [UInt8(0x01), 0x02, 0x10, 0x80, 0xff] {
            for index in whole.indices {
                var bytes = whole
                bytes[index] ^= mask
                guard let read = try? decoded(bytes, coder) else { continue }
                #expect(try decoded(encoded(read, coder), coder) == read)
            }
            for index in difference.indices {
                var bytes = difference
                bytes[index] ^= mask
                guard let read = try? apply(bytes) else { continue }
                #expect(try decoded(encoded(read, coder), coder) == read)
            }
        }
    }

    @Test(arguments: [
        ValueType.integer(.i64), .string, .record(RecordType([("x", .double), ("t", .string)])),
    ])
    func anAppendToALongList_costsAFewBytes(element: ValueType) throws {
        var generator = SeededGenerator(seed: 1)
        let type = RecordType([("count", .integer(.i32)), ("items", .list(element))])
        let coder = RecordCoder(type)
        var record = Record(type)
        var items = (0..<10_000).map { _ in generator.value(of: element) }
        try record.set("items", to: .list(items))
        var known = record
        let old = record
        items.append(Record(RecordType([("new", element)]))["new"]!)
        try record.set("items", to: .list(items))
        let writer = ByteWriter()
        coder.writeDifference(of: record, from: &known, whole: false, to: writer)
        // The field, the number of kept elements, of those at the end and between, the element, the end.
        #expect(writer.count <= 6 + 9 + 1)
        var folded = old
        _ = try read(writer.bytes) { reader throws(DamagedBytes) in
            try coder.readDifference(into: &folded, &reader)
        }
        #expect(folded == record)
    }

    @Test func anEmptyRecord_isAZeroByte() throws {
        let coder = RecordCoder(RecordType([]))
        #expect(encoded(Record(coder.type), coder) == [0])
        #expect(try decoded([0], coder) == Record(coder.type))
        #expect(throws: DamagedBytes.self) { try decoded([1], coder) }
        // So a damaged number of elements cannot ask for more memory than there are bytes.
        let list = RecordCoder(RecordType([("list", .list(.record(coder.type)))]))
        #expect(throws: DamagedBytes.self) { try decoded([0xff, 0xff, 0xff, 0x7f, 0], list) }
    }

    @Test func pointers_areReadAsNull() throws {
        let type = RecordType([
            ("handle", .pointer), ("maybe", .optional(.pointer)), ("list", .list(.pointer)),
        ])
        let coder = RecordCoder(type)
        var record = Record(type)
        try record.set("handle", to: .pointer(0xabc))
        try record.set("maybe", to: .pointer(0xdef))
        try record.set("list", to: .list([.pointer(1), .null]))
        let read = try decoded(encoded(record, coder), coder)
        #expect(record.pointers == [0xabc, 0xdef, 1])
        #expect(read.pointers == [])
        #expect(read["list"] == .list([.pointer(0), .pointer(0)]) || read["list"] == .list([.null, .null]))
    }

    @Test func valuesOutsideTheirType_areDamaged() {
        func fault(_ type: ValueType, _ bytes: [UInt8]) -> String? {
            do { _ = try decoded(bytes, RecordCoder(RecordType([("x", type)]))) } catch {
                return error.description
            }
            return nil
        }
        #expect(fault(.bool, [2]) == "2 does not fit `bool`")
        #expect(fault(.integer(.u8), [0x80, 0x02]) == "256 does not fit `u8`")
        #expect(fault(.integer(.i8), [0x80, 0x02]) == "128 does not fit `i8`")
        #expect(fault(.enumeration(EnumerationType(members: ["a", "b"])), [2]) == "2 does not fit `a | b`")
        #expect(fault(.optional(.bool), [3, 0]) == "3 is no form of an optional")
        #expect(fault(.optional(.bool), [2, 0]) == "an absent value has a difference")
        #expect(fault(.pointer, [1]) == "a pointer has a value")
    }
}
