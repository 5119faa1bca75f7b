/// Writes records of one type as bytes, and the difference between two of them, and reads both.
///
/// A record is its fields in order, then those of its case; integers, durations, timestamps, enumerations and
/// lengths are varints, floating-point numbers their bits, strings and bytes a length and the bytes, lists a
/// count and the elements, optionals 0 or 1 and the value. A record without fields is one zero byte. A pointer
/// is written as a zero byte and read as null, or as its 8 bytes if the coder keeps pointers. An array is its elements.
///
/// A difference is, for each field that differs, its number plus 2, and how its value differs; then 0. Integers
/// differ by their wrapped difference, strings, bytes and lists by how many elements at the start and at the end
/// are kept and by what is between, records by a difference, optionals by 0 (absent), 1 (a value) or 2 (a
/// difference of the value), others by the new value. A record that was written again in whole is a 1, then the
/// record: so when its case was entered.
///
/// It decides by plain data, so that a step does not count references to types. May be used from any thread.
// Safe because the tables are written in `init` only and freed with their owner, and all memory that it is
// given holds initialised values of the type.
@safe
public final class RecordCoder: @unchecked Sendable {
    struct Field {
        let offset: Int32
        let shape: Int32
    }

    /// A type of values.
    struct Shape {
        enum Kind: UInt8 {
            case bool, i8, i16, i32, i64, u8, u16, u32, u64, float, double, enumeration, text, bytes, list
            case record, optional, pointer, address, array
        }

        let kind: Kind
        /// Whether a byte copy is a full copy.
        let isTrivial: Bool
        let size: Int32
        /// The element, the value of the optional, or the record, by its index; the number of members.
        let detail: Int32
        /// The stride of an element, or the offset of an optional's value. An array's `size` is that of all elements.
        let distance: Int32
        /// Index into `types`.
        let type: Int32
        /// The fewest bytes that a value takes when it is written.
        let least: Int32
    }

    struct Plan {
        let fields: Range<Int32>
        let cases: Range<Int32>
    }

    /// The type of the records.
    public let type: RecordType
    /// Whether a byte copy of a record is a full copy.
    package let isTrivial: Bool
    /// Plain tables: the fields of all records, one after another, all shapes, all records, all cases.
    let fields: UnsafeMutableBufferPointer<Field>
    let shapes: UnsafeMutableBufferPointer<Shape>
    let plans: UnsafeMutableBufferPointer<Plan>
    let cases: UnsafeMutableBufferPointer<Range<Int32>>
    let types: [ValueType]
    /// The record of `type`, in `plans`.
    let root: Int32
    /// Whether another process has written what is read: a text must be UTF-8, and lists have limits.
    let isForeign: Bool
    /// The most bytes of a list's elements in memory, if another process has written it.
    static let mostListBytes = 1 << 28

    /// Prepares for records of a type.
    ///
    /// - Parameter keepsPointers: whether pointers are written, for a process that knows what they mean. Texts are then
    ///   checked when they are read.
    public init(_ type: RecordType, keepsPointers: Bool = false) {
        isForeign = keepsPointers
        var builder = Builder(pointer: keepsPointers ? .address : .pointer)
        (self.type, isTrivial) = (type, type.isTrivial)
        root = builder.add(type)
        types = builder.types
        unsafe (fields, shapes) = (Self.table(builder.fields), Self.table(builder.shapes))
        unsafe (plans, cases) = (Self.table(builder.plans), Self.table(builder.cases))
    }

    deinit {
        unsafe fields.deallocate()
        unsafe shapes.deallocate()
        unsafe plans.deallocate()
        unsafe cases.deallocate()
    }

    private static func table<Element>(_ elements: [Element]) -> UnsafeMutableBufferPointer<Element> {
        let table = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = unsafe table.initialize(from: elements)
        return unsafe table
    }
}

private struct Builder {
    let pointer: RecordCoder.Shape.Kind
    var fields: [RecordCoder.Field] = []
    var shapes: [RecordCoder.Shape] = []
    var plans: [RecordCoder.Plan] = []
    var cases: [Range<Int32>] = []
    var types: [ValueType] = []

    mutating func add(_ type: RecordType) -> Int32 {
        let own = add(type.fields.dropFirst(type.cases.isEmpty ? 0 : 1))
        let ranges = type.cases.map { add($0.fields[...]) }
        let first = Int32(cases.count)
        cases += ranges
        plans.append(RecordCoder.Plan(fields: own, cases: first..<Int32(cases.count)))
        return Int32(plans.count - 1)
    }

    private mutating func add(_ added: ArraySlice<RecordType.Field>) -> Range<Int32> {
        // Shapes of nested records add fields, so these come together afterwards.
        let made = added.map { RecordCoder.Field(offset: Int32($0.offset), shape: add($0.type)) }
        let first = Int32(fields.count)
        fields += made
        return first..<Int32(fields.count)
    }

    private mutating func add(_ type: ValueType) -> Int32 {
        var (detail, distance, least): (Int32, Int32, Int32) = (0, 0, 1)
        let kind: RecordCoder.Shape.Kind
        switch type {
        case .bool: kind = .bool
        case .integer(let integer): kind = RecordCoder.Shape.Kind(integer)
        case .float: (kind, least) = (.float, 4)
        case .double: (kind, least) = (.double, 8)
        case .string: kind = .text
        case .bytes: kind = .bytes
        case .duration, .timestamp: kind = .i64
        case .enumeration(let enumeration):
            (kind, detail) = (.enumeration, Int32(enumeration.members.count))
        case .list(let element): (kind, detail, distance) = (.list, add(element), Int32(element.stride))
        case .record(let record):
            (kind, detail) = (.record, add(record))
            least = self.least(of: record)
        case .optional(let wrapped):
            (kind, detail, distance) = (.optional, add(wrapped), Int32(type.wrappedOffset))
        case .pointer: (kind, least) = (pointer, pointer == .address ? 8 : 1)
        case .array(let element, let count):
            (kind, detail, distance) = (.array, add(element), Int32(element.stride))
            least = Int32(count) * shapes[Int(detail)].least
        }
        types.append(type)
        shapes.append(
            RecordCoder.Shape(
                kind: kind, isTrivial: type.isTrivial, size: Int32(type.size), detail: detail,
                distance: distance, type: Int32(types.count - 1), least: least))
        return Int32(shapes.count - 1)
    }

    /// The fewest bytes of a record that was just added: its tag, or its fields.
    private func least(of record: RecordType) -> Int32 {
        guard record.cases.isEmpty, let plan = plans.last else { return 1 }
        return max(1, plan.fields.reduce(0) { $0 + shapes[Int(fields[Int($1)].shape)].least })
    }
}

extension RecordCoder.Shape.Kind {
    fileprivate init(_ integer: IntegerType) {
        self =
            switch integer {
            case .i8: .i8
            case .i16: .i16
            case .i32: .i32
            case .i64: .i64
            case .u8: .u8
            case .u16: .u16
            case .u32: .u32
            case .u64: .u64
            }
    }
}
