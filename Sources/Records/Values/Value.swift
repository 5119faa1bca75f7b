/// A value of any type. JSON, constants, tests and dynamic expressions use it.
///
/// Two values are equal when their content is identical. Numbers are compared by their bits: NaN equals
/// itself, and `0.0` is not `-0.0`. Strings are compared by their bytes. Values of different cases are never
/// equal.
///
/// The module `Expressions` has the comparison that CEL defines.
public enum Value: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    /// Nanoseconds; negative for a span back in time.
    case duration(nanoseconds: Int64)
    case timestamp(Timestamp)
    case list([Value])
    /// Entries in order. A record is a map with its field names as keys, in declaration order.
    case map([MapEntry])
    /// An address that belongs to a plugin.
    case pointer(UInt)
    /// A type of the expression language by its name, such as `int`. It cannot be stored.
    case type(String)
    /// An optional value of the expression language; nil without a value. It is stored as a value or null.
    indirect case optional(Value?)
    /// An IP address, or a range of them, of the expression language. It cannot be stored; its text can.
    indirect case network(NetworkAddress)

    /// One entry of a map.
    public struct MapEntry: Hashable, Sendable {
        /// The key, of any kind.
        public let key: Value
        /// The value of that key.
        public let value: Value

        /// One entry.
        public init(key: Value, value: Value) {
            (self.key, self.value) = (key, value)
        }
    }

    /// A map with string keys, in the order given.
    public static func record(_ fields: [(String, Value)]) -> Value {
        .map(fields.map { MapEntry(key: .string($0.0), value: $0.1) })
    }

    /// The value under a string key of a map; nil when this is not a map or has no such key.
    public subscript(key: String) -> Value? {
        guard case .map(let entries) = self else { return nil }
        return entries.first { $0.key == .string(key) }?.value
    }

    /// The kind of the value, as CEL names types, for messages.
    public var kind: String {
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
        case .list: "list"
        case .map: "map"
        case .pointer: "pointer"
        case .type: "type"
        case .optional: "optional"
        case .network(let address): address.kind
        }
    }
}

extension Value: Hashable {
    /// Whether both have the same type and content. Doubles are equal if their bits are, texts if their bytes are.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.uint(let a), .uint(let b)): a == b
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.bytes(let a), .bytes(let b)): a == b
        case (.duration(let a), .duration(let b)): a == b
        case (.timestamp(let a), .timestamp(let b)): a == b
        case (.list(let a), .list(let b)): a == b
        case (.map(let a), .map(let b)): a == b
        case (.pointer(let a), .pointer(let b)): a == b
        case (.type(let a), .type(let b)): a == b
        default: isEqualBoxed(left, right)
        }
    }

    /// Apart from the function above, which stays faster without the recursion and these rare cases.
    @inline(never)
    private static func isEqualBoxed(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.optional(let a), .optional(let b)): a == b
        case (.network(let a), .network(let b)): a == b
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .uint(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .bytes(let value): hasher.combine(value)
        case .duration(let value): hasher.combine(value)
        case .timestamp(let value): hasher.combine(value)
        case .list(let value): hasher.combine(value)
        case .map(let value): hasher.combine(value)
        case .pointer(let value): hasher.combine(value)
        case .type(let name): hasher.combine(name)
        case .optional(let value): hasher.combine(value)
        case .network(let address): hasher.combine(address)
        }
    }
}
