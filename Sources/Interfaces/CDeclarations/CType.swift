public import Records

/// A type of C, typedefs resolved, as far as values of it can cross the border.
///
/// Sizes are those of the platform the host was built for (LP64). Qualifiers are kept only where they matter: whether
/// a pointer's target is `const`.
public indirect enum CType: Hashable, Sendable {
    case void
    /// `bool`, `_Bool`.
    case bool
    /// Plain `char`, signed or not as the platform has it; `signed char` and `unsigned char` are integers.
    case character
    /// Any other integer type, by width and signedness.
    case integer(IntegerType)
    case float
    case double
    /// `spin_duration`: nanoseconds in an `int64_t`.
    case duration
    /// `spin_timestamp`: nanoseconds since the Unix epoch in an `int64_t`.
    case timestamp
    /// `spin_string`: pointer and size of UTF-8 text.
    case string
    /// `spin_bytes`: pointer and size.
    case bytes
    /// `spin_strings`: pointer to texts and their number.
    case strings
    case enumeration(CEnumeration)
    case structure(CStructure)
    /// A record of a loop, which belongs to the host: C code reads it.
    case record(CRecord)
    /// `struct NAME` of unknown content, which only pointers can refer to.
    case incomplete(String)
    case pointer(CPointer)
    /// `T[count]` inside a structure, or behind a typedef or pointer; parameters are pointers.
    case array(CType, count: Int)

    /// Size in bytes; nil for `void` and incomplete types.
    public var size: Int? {
        switch self {
        case .void, .incomplete: nil
        case .bool, .character: 1
        case .integer(let integer): integer.size
        case .float: 4
        case .double, .duration, .timestamp, .pointer: 8
        case .string, .bytes, .strings: 16
        case .enumeration(let type): type.integer.size
        case .structure(let type): type.size
        case .record(let record): record.type.size
        case .array(let element, let count): element.size.map { $0 * count }
        }
    }

    /// Alignment in bytes; 1 for types without a size.
    public var alignment: Int {
        switch self {
        case .string, .bytes, .strings: 8
        case .structure(let type): type.alignment
        case .record(let record): record.type.alignment
        case .array(let element, _): element.alignment
        default: size ?? 1
        }
    }

    /// The value type of exactly this layout; nil for `void` and incomplete types.
    ///
    /// A pointer is a `pointer`, whatever it points to, and a structure a record of the same fields. Only `.string`,
    /// `.bytes` and `.strings` differ in ownership: what C hands over must be copied.
    public var valueType: ValueType? {
        switch self {
        case .void, .incomplete: nil
        case .bool: .bool
        case .character: IntegerType(size: 1, isSigned: CChar.isSigned).map(ValueType.integer)
        case .integer(let integer): .integer(integer)
        case .float: .float
        case .double: .double
        case .duration: .duration
        case .timestamp: .timestamp
        case .string: .string
        case .bytes: .bytes
        case .strings: .list(.string)
        case .enumeration(let type): .integer(type.integer)
        case .structure(let type): .record(type.recordType)
        case .record(let record): .record(record.type)
        case .pointer: .pointer
        case .array(let element, let count): element.valueType.map { .array($0, count: count) }
        }
    }

    /// True for `spin_call *`, the token of a running call.
    public var isCall: Bool {
        guard case .pointer(let pointer) = self else { return false }
        return pointer.pointee == .incomplete("spin_call")
    }

    /// True for `spin_self *`, the plugin's instance.
    public var isInstance: Bool {
        guard case .pointer(let pointer) = self else { return false }
        return pointer.pointee == .incomplete("spin_self")
    }

    /// True for `char *` and `const char *`.
    var isTextPointer: Bool {
        guard case .pointer(let pointer) = self else { return false }
        return pointer.pointee == .character
    }

    /// True for `spin_string`, `spin_bytes` and `spin_strings`, and for what contains one or a list by value.
    public var containsText: Bool {
        switch self {
        case .string, .bytes, .strings: true
        case .structure(let type): type.members.contains { $0.type.containsText }
        case .record(let record): !record.type.isTrivial
        case .array(let element, _): element.containsText
        default: false
        }
    }

    /// How many types stand inside each other, this one included.
    var depth: Int {
        switch self {
        case .structure(let type): type.depth
        case .pointer(let pointer): pointer.pointee.depth + 1
        case .array(let element, _): element.depth + 1
        default: 1
        }
    }

    /// The same type, with structures behind pointers reduced to their names: what a structure's member keeps, so that
    /// types stay finite.
    var withoutTargets: CType {
        switch self {
        case .pointer(let pointer):
            let target: CType =
                if case .structure(let type) = pointer.pointee { .incomplete(type.name) } else {
                    pointer.pointee.withoutTargets
                }
            return .pointer(pointer.pointing(to: target))
        case .array(let element, let count):
            return .array(element.withoutTargets, count: count)
        default: return self
        }
    }
}

extension CType: CustomStringConvertible {
    /// The type in C, with fixed-width names for integers: `const char *`, `struct statvfs *`, `int32_t`.
    public var description: String {
        switch self {
        case .void: "void"
        case .bool: "bool"
        case .character: "char"
        case .integer(let integer): "\(integer.isSigned ? "" : "u")int\(integer.size * 8)_t"
        case .float: "float"
        case .double: "double"
        case .duration: "spin_duration"
        case .timestamp: "spin_timestamp"
        case .string: "spin_string"
        case .bytes: "spin_bytes"
        case .strings: "spin_strings"
        case .enumeration(let type): type.description
        case .structure(let type): type.description
        case .record(let record): record.name
        case .incomplete(let name): "struct \(name)"
        case .pointer(let pointer): pointer.description
        case .array(let element, let count): "\(element)[\(count)]"
        }
    }
}
