import Records

extension RecordType {
    func write(to writer: ByteWriter) {
        writer.put(cases) { entered in
            writer.put(entered.name)
            Self.write(entered.fields[...], to: writer)
        }
        // The field that names the case follows from the cases.
        Self.write(cases.isEmpty ? fields[...] : fields.dropFirst(), to: writer)
    }

    private static func write(_ fields: ArraySlice<Field>, to writer: ByteWriter) {
        writer.put(Array(fields)) { field in
            writer.put(field.name)
            field.type.write(to: writer)
        }
    }

    convenience init(_ reader: inout ByteReader, depth: Int = 0) throws(DamagedBytes) {
        let cases = try reader.list { reader throws(DamagedBytes) in
            (
                name: try reader.text(),
                fields: try Self.fields(&reader, depth: depth)
            )
        }
        let shared = try Self.fields(&reader, depth: depth)
        guard !cases.isEmpty else {
            self.init(shared)
            return
        }
        guard depth == 0, Set(cases.map(\.name)).count == cases.count else {
            throw DamagedBytes("the cases of a record are not valid")
        }
        let names = Set(shared.map(\.name) + [Self.caseField])
        guard names.count == shared.count + 1,
            cases.allSatisfy({ $0.fields.allSatisfy { !names.contains($0.name) } })
        else { throw DamagedBytes("a field of a case has the name of a shared one") }
        self.init(cases: cases, shared: shared)
    }

    private static func fields(
        _ reader: inout ByteReader, depth: Int
    ) throws(DamagedBytes) -> [(name: String, type: ValueType)] {
        let fields = try reader.list { reader throws(DamagedBytes) in
            (name: try reader.text(), type: try ValueType(&reader, depth: depth + 1))
        }
        guard Set(fields.map(\.name)).count == fields.count else {
            throw DamagedBytes("two fields of a record have one name")
        }
        return fields
    }
}

extension ValueType {
    /// How deep types may be nested in a journal. The manifest allows less.
    private static let deepest = 64
    /// The largest value of a type in memory, in bytes: a type that a journal invents must not exhaust it.
    private static let largest = 1 << 20

    private enum Tag: UInt8 {
        case bool, i8, i16, i32, i64, u8, u16, u32, u64, float, double, string, bytes, duration, timestamp
        case enumeration, list, record, optional, pointer
    }

    func write(to writer: ByteWriter) {
        func put(_ tag: Tag) { writer.put(byte: tag.rawValue) }
        switch self {
        case .bool: put(.bool)
        case .integer(.i8): put(.i8)
        case .integer(.i16): put(.i16)
        case .integer(.i32): put(.i32)
        case .integer(.i64): put(.i64)
        case .integer(.u8): put(.u8)
        case .integer(.u16): put(.u16)
        case .integer(.u32): put(.u32)
        case .integer(.u64): put(.u64)
        case .float: put(.float)
        case .double: put(.double)
        case .string: put(.string)
        case .bytes: put(.bytes)
        case .duration: put(.duration)
        case .timestamp: put(.timestamp)
        case .enumeration(let type):
            put(.enumeration)
            writer.put(type.members, { writer.put($0) })
        case .list(let element):
            put(.list)
            element.write(to: writer)
        case .record(let type):
            put(.record)
            type.write(to: writer)
        case .optional(let wrapped):
            put(.optional)
            wrapped.write(to: writer)
        case .pointer: put(.pointer)
        case .array: preconditionFailure("no state or event of a manifest has an array")
        }
    }

    init(_ reader: inout ByteReader, depth: Int) throws(DamagedBytes) {
        guard depth <= Self.deepest, let tag = Tag(rawValue: try reader.byte()) else {
            throw DamagedBytes("there is no such type")
        }
        self =
            switch tag {
            case .bool: .bool
            case .i8: .integer(.i8)
            case .i16: .integer(.i16)
            case .i32: .integer(.i32)
            case .i64: .integer(.i64)
            case .u8: .integer(.u8)
            case .u16: .integer(.u16)
            case .u32: .integer(.u32)
            case .u64: .integer(.u64)
            case .float: .float
            case .double: .double
            case .string: .string
            case .bytes: .bytes
            case .duration: .duration
            case .timestamp: .timestamp
            case .enumeration: .enumeration(try EnumerationType(&reader))
            case .list: .list(try ValueType(&reader, depth: depth + 1))
            case .record: .record(try RecordType(&reader, depth: depth))
            case .optional: .optional(try ValueType(&reader, depth: depth + 1))
            case .pointer: .pointer
            }
        guard size <= Self.largest else { throw DamagedBytes("a type is too large") }
    }
}

extension EnumerationType {
    fileprivate init(_ reader: inout ByteReader) throws(DamagedBytes) {
        let members = try reader.list { reader throws(DamagedBytes) in try reader.text() }
        guard !members.isEmpty, Set(members).count == members.count else {
            throw DamagedBytes("the members of an enumeration are not valid")
        }
        self.init(members: members)
    }
}
