public import Records

/// The type of an expression's value, known before evaluation.
public indirect enum ExpressionType: Hashable, Sendable {
    case null
    case bool
    /// 64 bits, signed.
    case int
    /// 64 bits, unsigned.
    case uint
    case double
    case string
    case bytes
    /// Nanoseconds, 64 bits.
    case duration
    /// Seconds and nanoseconds since the Unix epoch.
    case timestamp
    case list(ExpressionType)
    case map(key: ExpressionType, value: ExpressionType)
    case record(RecordType)
    /// The value, or null.
    case optional(ExpressionType)
    /// A value that may not be there, such as that of `optional.of(1)`. CEL calls the type `optional_type`.
    case optionalValue(ExpressionType)
    /// An address that belongs to a plugin.
    case pointer
    /// An IP address, such as the result of `ip('::1')`.
    case ip
    /// A range of IP addresses, such as the result of `cidr('10.0.0.0/8')`.
    case cidr
    /// A type as a value, such as the result of `type(1)`.
    case type
    /// A type known only at evaluation, such as that of an element in a list of mixed values.
    case dynamic

    /// The type in an expression of a stored value of `type`.
    public init(_ type: ValueType) {
        self =
            switch type {
            case .bool: .bool
            case .integer(.u64): .uint
            case .integer: .int
            case .float, .double: .double
            case .string, .enumeration: .string
            case .bytes: .bytes
            case .duration: .duration
            case .timestamp: .timestamp
            case .list(let element), .array(let element, _): .list(ExpressionType(element))
            case .record(let record): .record(record)
            case .optional(let wrapped): .optional(ExpressionType(wrapped))
            case .pointer: .pointer
            }
    }

    /// The type as messages name it, such as `int`, `list(string)` or `int or null`.
    public var name: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .uint: "uint"
        case .double: "double"
        case .string: "string"
        case .bytes: "bytes"
        case .duration: "duration"
        case .timestamp: "timestamp"
        case .list(let element): "list(\(element.name))"
        case .map(let key, let value): "map(\(key.name), \(value.name))"
        case .record: "record"
        case .optional(let wrapped): "\(wrapped.name) or null"
        case .optionalValue(let content): "optional(\(content.name))"
        case .pointer: "pointer"
        case .ip: "net.IP"
        case .cidr: "net.CIDR"
        case .type: "type"
        case .dynamic: "dyn"
        }
    }

    var isNumeric: Bool { self == .int || self == .uint || self == .double }

    var isOptional: Bool { if case .optional = self { true } else { false } }
    var isOptionalValue: Bool { if case .optionalValue = self { true } else { false } }

    /// The type without `or null`.
    var wrapped: ExpressionType { if case .optional(let wrapped) = self { wrapped } else { self } }

    /// The type of the value that an optional has; dynamic for a type that is not known.
    var content: ExpressionType { if case .optionalValue(let content) = self { content } else { .dynamic } }

    /// The type of the elements of a list; dynamic for a type that is not known.
    var element: ExpressionType { if case .list(let element) = self { element } else { .dynamic } }

    /// The type of a value that has one type or the other.
    func joined(with other: ExpressionType) -> ExpressionType {
        switch (self, other) {
        case _ where self == other: self
        case (.optional(let wrapped), .null), (.null, .optional(let wrapped)): .optional(wrapped)
        case (.optional(let wrapped), let plain) where wrapped == plain: self
        case (let plain, .optional(let wrapped)) where wrapped == plain: other
        case (.null, let plain) where plain != .dynamic: .optional(plain)
        case (let plain, .null) where plain != .dynamic: .optional(plain)
        case (.list(let left), .list(let right)): .list(left.joined(with: right))
        case (.optionalValue(let left), .optionalValue(let right)): .optionalValue(left.joined(with: right))
        default: .dynamic
        }
    }

    /// True when values of the two types may be equal, judged by the types alone.
    func mayEqual(_ other: ExpressionType) -> Bool {
        switch (self, other) {
        case (.dynamic, _), (_, .dynamic): true
        case (.optional, .optional), (.optional, .null), (.null, .optional): true
        case (.pointer, .null), (.null, .pointer): true
        case (.optional(let wrapped), _): wrapped.mayEqual(other)
        case (_, .optional(let wrapped)): mayEqual(wrapped)
        case (.list(let left), .list(let right)), (.optionalValue(let left), .optionalValue(let right)):
            left.mayEqual(right)
        case (.map(let leftKey, let left), .map(let rightKey, let right)):
            leftKey.mayEqual(rightKey) && left.mayEqual(right)
        case (.record(let left), .record(let right)): left == right
        case (.record, .map(let key, _)), (.map(let key, _), .record): key.mayEqual(.string)
        default: self == other || isNumeric && other.isNumeric
        }
    }
}
