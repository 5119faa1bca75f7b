/// The type of a field, an element or a parameter in the manifest, in C and in expressions.
///
/// | case | C |
/// | --- | --- |
/// | `bool` | `bool`, one byte |
/// | `integer` | `int8_t` … `uint64_t` |
/// | `float`, `double` | `float`, `double` |
/// | `string`, `bytes` | pointer and size in bytes; a string is UTF-8 and always NUL-terminated |
/// | `duration`, `timestamp` | `int64_t` nanoseconds, a timestamp since the Unix epoch |
/// | `enumeration` | `int32_t` index |
/// | `list` | pointer and count |
/// | `array` | `T[count]`, in structures that C declares; a manifest cannot name it |
/// | `record` | nested `struct` |
/// | `optional` | `struct { bool has; T value; }` |
/// | `pointer` | `void *`, opaque, never shown or recorded |
public indirect enum ValueType: Hashable, Sendable {
    case bool
    case integer(IntegerType)
    case float
    case double
    case string
    case bytes
    case duration
    case timestamp
    case enumeration(EnumerationType)
    case list(ValueType)
    case array(ValueType, count: Int)
    case record(RecordType)
    case optional(ValueType)
    case pointer

    /// Size in bytes, padding at the end included.
    public var size: Int {
        switch self {
        case .bool: 1
        case .integer(let integer): integer.size
        case .float, .enumeration: 4
        case .double, .duration, .timestamp, .pointer: 8
        case .string, .bytes, .list: 16
        case .array(let element, let count): element.stride * count
        case .record(let type): type.size
        case .optional(let wrapped): (wrapped.alignment + wrapped.size).roundedUp(to: wrapped.alignment)
        }
    }

    /// Alignment in bytes: 1, 2, 4 or 8.
    public var alignment: Int {
        switch self {
        case .bool: 1
        case .integer(let integer): integer.size
        case .float, .enumeration: 4
        case .double, .duration, .timestamp, .pointer, .string, .bytes, .list: 8
        case .array(let element, _): element.alignment
        case .record(let type): type.alignment
        case .optional(let wrapped): wrapped.alignment
        }
    }

    /// Distance in bytes from one element of an array of this type to the next.
    public var stride: Int { size.roundedUp(to: alignment) }

    /// True when a byte copy is a full copy, because nothing in it points to memory that a record owns.
    public var isTrivial: Bool {
        switch self {
        case .bool, .integer, .float, .double, .duration, .timestamp, .enumeration, .pointer: true
        case .string, .bytes, .list: false
        case .array(let element, _): element.isTrivial
        case .record(let type): type.isTrivial
        case .optional(let wrapped): wrapped.isTrivial
        }
    }

    /// The type as the manifest writes it, such as `i32`, `[string]` or `{ x = "f64" }`.
    public var name: String {
        switch self {
        case .bool: "bool"
        case .integer(let integer): integer.rawValue
        case .float: "f32"
        case .double: "f64"
        case .string: "string"
        case .bytes: "bytes"
        case .duration: "duration"
        case .timestamp: "timestamp"
        case .enumeration(let type): type.members.joined(separator: " | ")
        case .list(let element): "[\(element.name)]"
        case .array(let element, let count): "\(element.name)[\(count)]"
        case .record(let type): type.description
        case .optional(let wrapped): "\(wrapped.name)?"
        case .pointer: "pointer"
        }
    }
}

extension Int {
    /// This number rounded up to a multiple of `alignment`, which must be a power of two.
    func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}

/// A fixed set of names, stored as an `int32_t` index into them.
public struct EnumerationType: Hashable, Sendable {
    /// The names in declaration order; the first one is the zero value.
    public let members: [String]

    /// - Precondition: at least one member, all different.
    public init(members: [String]) {
        precondition(
            !members.isEmpty && Set(members).count == members.count, "there are members, all different")
        self.members = members
    }

    /// The stored number of a name; nil when it is not a member.
    public func index(of member: String) -> Int32? {
        members.firstIndex(of: member).map(Int32.init)
    }
}
