public import Records

/// A C type, with resolved typedefs, whose values the host can pass to or receive from a library.
///
/// Sizes are those of the host's platform (LP64). The only qualifier that is kept is the `const` of a
/// pointer's target.
public indirect enum CType: Hashable, Sendable {
    case void
    /// `bool`, `_Bool`.
    case bool
    /// Plain `char`, whose sign depends on the platform. `signed char` and `unsigned char` are integers.
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
    case enumeration(CEnumeration)
    case structure(CStructure)
    /// A record, list or optional whose layout the host knows by the type's name.
    case value(CValue)
    /// `struct NAME` with unknown members, to which only pointers can refer.
    case incomplete(String)
    case pointer(CPointer)
    /// A function, to which only pointers refer.
    case function(CFunctionType)
    /// `T[count]` in a structure, a typedef or behind a pointer. As a parameter it is a pointer.
    case array(CType, count: Int)

    /// Size in bytes; nil for `void`, functions and incomplete types.
    public var size: Int? {
        switch self {
        case .void, .incomplete, .function: nil
        case .bool, .character: 1
        case .integer(let integer): integer.size
        case .float: 4
        case .double, .duration, .timestamp, .pointer: 8
        case .string, .bytes: 16
        case .enumeration(let type): type.integer.size
        case .structure(let type): type.size
        case .value(let value): value.type.size
        case .array(let element, let count): element.size.map { $0 * count }
        }
    }

    /// Alignment in bytes; 1 for types without a size.
    public var alignment: Int {
        switch self {
        case .string, .bytes: 8
        case .structure(let type): type.alignment
        case .value(let value): value.type.alignment
        case .array(let element, _): element.alignment
        default: size ?? 1
        }
    }

    /// The value type with exactly this layout; nil for `void`, functions and incomplete types.
    ///
    /// Every pointer is a `pointer`, and a structure is a record with the same fields. Text, bytes and lists
    /// differ in ownership only: the host must copy values that C returns.
    public var valueType: ValueType? {
        switch self {
        case .void, .incomplete, .function: nil
        case .bool: .bool
        case .character: IntegerType(size: 1, isSigned: CChar.isSigned).map(ValueType.integer)
        case .integer(let integer): .integer(integer)
        case .float: .float
        case .double: .double
        case .duration: .duration
        case .timestamp: .timestamp
        case .string: .string
        case .bytes: .bytes
        case .enumeration(let type): .integer(type.integer)
        case .structure(let type): .record(type.recordType)
        case .value(let value): value.type
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

    /// The function of a pointer to a function; nil for any other type.
    public var pointedFunction: CFunctionType? {
        guard case .pointer(let pointer) = self, case .function(let function) = pointer.pointee else {
            return nil
        }
        return function
    }

    /// True for `char *` and `const char *`.
    var isTextPointer: Bool {
        guard case .pointer(let pointer) = self else { return false }
        return pointer.pointee == .character
    }

    /// True for `spin_string`, `spin_bytes` and lists, and for a type that contains one of them by value.
    public var containsText: Bool {
        switch self {
        case .string, .bytes: true
        case .structure(let type): type.members.contains { $0.type.containsText }
        case .value(let value): !value.type.isTrivial
        case .array(let element, _): element.containsText
        default: false
        }
    }

    /// True for the state of a loop with cases. C passes unions as the host cannot, so it goes by pointer.
    var hasCases: Bool {
        guard case .value(let value) = self, case .record(let record) = value.type else { return false }
        return !record.cases.isEmpty
    }

    /// The depth of nested types, including this one.
    var depth: Int {
        switch self {
        case .structure(let type): type.depth
        case .value(let value): value.depth
        case .pointer(let pointer): pointer.pointee.depth + 1
        case .array(let element, _): element.depth + 1
        case .function(let function): function.depth
        default: 1
        }
    }

    /// This type, with structures behind pointers reduced to their names. Members have such types, so that
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
        case .function(let function): return .function(function.mapped(\.withoutTargets))
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
        case .enumeration(let type): type.description
        case .structure(let type): type.description
        case .value(let value): value.name
        case .incomplete(let name): "struct \(name)"
        case .pointer(let pointer): pointer.description
        case .array(let element, let count): "\(element)[\(count)]"
        case .function(let function): "\(function.result) (\(function.parameterList))"
        }
    }
}
