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

    /// A name whose value is known when an expression is loaded; it may have dots, such as `event.case`.
    public struct Constant: Sendable {
        /// The name, as expressions write it.
        public let name: String
        let type: ValueType
        /// Keeps the value: a record of one field, at its beginning.
        private let record: Record

        /// A member of an enumeration: a text that is compared with no other than the members.
        ///
        /// - Precondition: there is such a member.
        public init(name: String, member: String, of enumeration: EnumerationType) {
            type = .enumeration(enumeration)
            var record = Record(RecordType([("value", type)]))
            do throws(RecordError) { try record.set("value", to: .string(member)) } catch {
                preconditionFailure("the constant is a member")
            }
            (self.name, self.record) = (name, record)
        }

        // Safe because the closure keeps the record, which nobody changes.
        var place: Place { unsafe .computed { [record] _ in unsafe record.unsafeBase } }
    }

    /// The names in the order given, which is the order messages list them in. They are few.
    public let variables: [Variable]
    /// The names whose values are known.
    public let constants: [Constant]

    /// The names of a scope without types, in the order of the values that they get; empty for any other.
    public let untyped: [String]
    /// Whether types are looked at only when an expression is evaluated.
    let isUntyped: Bool

    // Of a scope without types, which may have many names.
    private let indices: [String: Int]
    /// Whether a name has dots.
    let hasPaths: Bool

    /// - Precondition: the names are all different.
    public init(_ variables: [Variable], constants: [Constant] = []) {
        (self.variables, self.constants, untyped, isUntyped) = (variables, constants, [], false)
        indices = [:]
        hasPaths = !constants.isEmpty || variables.contains { $0.name.utf8.contains(UInt8(ascii: ".")) }
        precondition(
            variables.indices.allSatisfy { index in
                !variables[..<index].contains { $0.name == variables[index].name }
            }, "names are all different")
    }

    /// Names of values whose types are not known when an expression is loaded. Expressions in such a scope are
    /// not checked: operands that do not go together are a fault when that part is evaluated, and only then, as
    /// CEL has it for expressions of type `dyn`. A name may have dots, such as `request.user`.
    ///
    /// - Precondition: the names are all different.
    public init(untyped names: [String]) {
        (variables, constants, untyped, isUntyped) = ([], [], names, true)
        indices = Dictionary(uniqueKeysWithValues: names.indices.map { (names[$0], $0) })
        hasPaths = true
    }

    /// The same names and others.
    ///
    /// - Precondition: the names are all different, and these have types.
    public func adding(_ variables: [Variable], constants: [Constant] = []) -> Scope {
        precondition(!isUntyped, "names with types are added to such")
        return Scope(self.variables + variables, constants: self.constants + constants)
    }

    /// The variable of that name, if there is one.
    public func variable(_ name: String) -> Variable? {
        variables.first { $0.name == name }
    }

    /// The slot of a value without a type.
    func untypedSlot(_ name: String) -> Int? { isUntyped ? indices[name] : nil }

    var names: [String] { isUntyped ? untyped : variables.map(\.name) }

    /// How many slots a frame for this scope has.
    var slotCount: Int { isUntyped ? untyped.count : (variables.map(\.slot).max() ?? -1) + 1 }
}

/// A field at a fixed place: what lets a caller read it in memory instead of evaluating an expression.
public struct FieldReference: Hashable, Sendable {
    /// The slot of the frame whose base address the offset counts from.
    public let slot: Int
    /// Distance in bytes from the slot's base address.
    public let offset: Int
    /// What is stored there.
    public let type: ValueType
}
