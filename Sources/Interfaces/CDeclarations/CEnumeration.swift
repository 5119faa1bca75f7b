public import Records

/// An `enum` of C: named integer constants.
public struct CEnumeration: Hashable, Sendable {
    /// One constant.
    public struct Constant: Hashable, Sendable {
        public let name: String
        public let value: Int64
    }

    /// The tag; for an `enum` without a tag, the name of its typedef; empty without both.
    public internal(set) var name: String
    /// The constants in declaration order.
    public let constants: [Constant]
    /// The type of a value: `int32_t`, or `uint32_t` if a constant needs it.
    public let integer: IntegerType

    init(name: String, constants: [Constant], integer: IntegerType) {
        (self.name, self.constants, self.integer) = (name, constants, integer)
    }
}

extension CEnumeration: CustomStringConvertible {
    /// `enum NAME`.
    public var description: String { name.isEmpty ? "enum" : "enum \(name)" }
}
