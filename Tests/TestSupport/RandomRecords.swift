public import Records

/// Random types and values. Pointers and arrays are not among them.
extension SeededGenerator {
    public mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    public mutating func chance(_ count: Int) -> Bool { below(count) == 0 }

    /// The type of a state: sometimes with cases.
    public mutating func stateType() -> RecordType {
        guard chance(2) else { return recordType(depth: 3) }
        let cases = (0...below(3)).map { number in
            (name: "case\(number)", fields: fields("c\(number)f", below(4), depth: 2))
        }
        return RecordType(cases: cases, shared: fields("f", below(4), depth: 2))
    }

    public mutating func recordType(depth: Int) -> RecordType {
        RecordType(fields("f", below(5), depth: depth))
    }

    private mutating func fields(
        _ prefix: String, _ count: Int, depth: Int
    ) -> [(name: String, type: ValueType)] {
        (0..<count).map { (name: "\(prefix)\($0)", type: valueType(depth: depth)) }
    }

    public mutating func valueType(depth: Int) -> ValueType {
        switch below(depth > 0 ? 12 : 9) {
        case 0: .bool
        case 1: .integer(IntegerType.allCases[below(IntegerType.allCases.count)])
        case 2: .float
        case 3: .double
        case 4: .string
        case 5: .bytes
        case 6: .duration
        case 7: .timestamp
        case 8: .enumeration(EnumerationType(members: ["one", "two", "three"]))
        case 9: .list(valueType(depth: depth - 1))
        case 10: .optional(valueType(depth: depth - 1))
        default: .record(recordType(depth: depth - 1))
        }
    }

    public mutating func record(_ type: RecordType) -> Record {
        var record = Record(type)
        store(value(of: type), in: &record)
        return record
    }

    /// A record that is like another one in most of its parts.
    public mutating func changed(_ old: Record) -> Record {
        guard !chance(8) else { return record(old.type) }
        var record = old
        store(changed(old.value, .record(old.type)), in: &record)
        return record
    }

    private func store(_ value: Value, in record: inout Record) {
        let type = record.type
        // Safe because the record is initialised, and of the type.
        do { unsafe try ValueMemory.store(value, to: record.unsafeMutableBase(), as: .record(type)) } catch {
            fatalError("\(value.json) is no \(type): \(error)")
        }
    }

    private mutating func value(of type: RecordType) -> Value {
        guard !type.cases.isEmpty else { return values(of: type.fields[...]) }
        let entered = type.cases[below(type.cases.count)]
        let rest = values(of: type.fields.dropFirst() + entered.fields[...])
        guard case .map(let entries) = rest else { return rest }
        return .map(
            [Value.MapEntry(key: .string(RecordType.caseField), value: .string(entered.name))] + entries)
    }

    private mutating func values(of fields: ArraySlice<RecordType.Field>) -> Value {
        .record(fields.map { ($0.name, value(of: $0.type)) })
    }

    public mutating func value(of type: ValueType) -> Value {
        switch type {
        case .bool: return .bool(chance(2))
        case .integer(let integer):
            let bits = chance(2) ? next() : UInt64(below(3))
            let shift = UInt64(64 - 8 * integer.size)
            return integer.isSigned
                ? .int(Int64(bitPattern: bits << shift) >> Int64(shift)) : .uint((bits << shift) >> shift)
        case .float: return .double(Double(Float(Int64(bitPattern: next()) % 1000) / 8))
        case .double: return .double(Double(bitPattern: next()))
        case .string:
            return .string(["", "a", "grün", "日本", String(repeating: "long ", count: 40)][below(5)])
        case .bytes: return .bytes((0..<below(9)).map { _ in UInt8(truncatingIfNeeded: next()) })
        case .duration: return .duration(nanoseconds: Int64(bitPattern: next()))
        case .timestamp: return .timestamp(Timestamp(nanosecondsSinceEpoch: Int64(bitPattern: next())))
        case .enumeration(let enumeration):
            return .string(enumeration.members[below(enumeration.members.count)])
        case .list(let element): return .list((0..<below(6)).map { _ in value(of: element) })
        case .optional(let wrapped): return chance(2) ? .null : value(of: wrapped)
        case .record(let record): return values(of: record.fields[...])
        case .array, .pointer: fatalError("no array and no pointer is made")
        }
    }

    private mutating func changed(_ old: Value, _ type: ValueType) -> Value {
        switch (type, old) {
        case (.record(let record), .map(var entries)):
            for index in entries.indices where chance(2) {
                guard case .string(let name) = entries[index].key else { continue }
                let own = record.cases.lazy.compactMap { $0.field(name) }.first
                guard name != RecordType.caseField, let field = record.field(name) ?? own else { continue }
                entries[index] = Value.MapEntry(
                    key: .string(name), value: changed(entries[index].value, field.type))
            }
            return .map(entries)
        case (.list(let element), .list(var values)):
            switch below(4) {
            case 0: values.append(value(of: element))
            case 1: values.insert(value(of: element), at: below(values.count + 1))
            case 2 where !values.isEmpty: values.remove(at: below(values.count))
            default:
                guard !values.isEmpty else { return old }
                let index = below(values.count)
                values[index] = changed(values[index], element)
            }
            return .list(values)
        case (.string, .string(let text)): return .string(chance(2) ? text + "é" : "è" + text.dropLast())
        case (.optional(let wrapped), let old) where old != .null && !chance(3): return changed(old, wrapped)
        default: return value(of: type)
        }
    }
}
