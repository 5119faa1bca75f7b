public import Records

/// An `enum` of C: named integer constants.
public struct CEnumeration: Hashable, Sendable {
    /// One constant.
    public struct Constant: Hashable, Sendable {
        public let name: String
        public let value: Int64
    }

    /// The tag, or the typedef's name of an `enum` without a tag; empty when it has neither.
    public internal(set) var name: String
    /// The constants in declaration order.
    public let constants: [Constant]
    /// The integer that holds a value: `int32_t`, or `uint32_t` when a constant needs it.
    public let integer: IntegerType

    init(name: String, constants: [Constant], integer: IntegerType) {
        (self.name, self.constants, self.integer) = (name, constants, integer)
    }
}

extension CEnumeration: CustomStringConvertible {
    /// `enum NAME`.
    public var description: String { name.isEmpty ? "enum" : "enum \(name)" }
}
