public import Records

/// The names that an expression may use.
public struct Scope: Sendable {
    /// One name: where its value lies and what it is.
    public struct Variable: Hashable, Sendable {
        /// The name, as expressions write it.
        public let name: String
        /// What is stored there.
        public let type: ValueType
        /// The slot of the frame whose base address the offset counts from.
        public let slot: Int
        /// Distance in bytes from the slot's base address.
        public let offset: Int

        /// - Precondition: slot and offset are not negative.
        public init(name: String, type: ValueType, slot: Int, offset: Int = 0) {
            precondition(slot >= 0 && offset >= 0, "slots and offsets are counted from 0")
            (self.name, self.type, self.slot, self.offset) = (name, type, slot, offset)
        }
    }

    /// The names in the order given, which is the order messages list them in.
    public let variables: [Variable]

    private let indices: [String: Int]

    /// - Precondition: the names are all different.
    public init(_ variables: [Variable]) {
        self.variables = variables
        indices = Dictionary(uniqueKeysWithValues: variables.indices.map { (variables[$0].name, $0) })
    }

    /// The variable of that name, if there is one.
    public func variable(_ name: String) -> Variable? { indices[name].map { variables[$0] } }

    /// How many slots a frame for this scope has.
    var slotCount: Int { (variables.map(\.slot).max() ?? -1) + 1 }
}
