public import Records

/// The names that an expression may use.
public struct Scope: Sendable {
    /// One name, with the location and type of its value.
    public struct Variable: Hashable, Sendable {
        /// The name, as expressions write it.
        public let name: String
        /// The type of the stored value.
        public let type: ValueType
        /// The slot of the frame whose base address the offset counts from.
        public let slot: Int
        /// Offset in bytes from the slot's base address.
        public let offset: Int

        /// - Precondition: slot and offset are not negative.
        public init(name: String, type: ValueType, slot: Int, offset: Int = 0) {
            precondition(slot >= 0 && offset >= 0, "slots and offsets are counted from 0")
            (self.name, self.type, self.slot, self.offset) = (name, type, slot, offset)
        }
    }

    /// A name whose value is known at load. It may have dots, such as `event.case`.
    public struct Constant: Sendable {
        /// The name, as expressions write it.
        public let name: String
        let type: ValueType
        /// Holds the value: a record of one field at offset 0.
        private let record: Record

        /// A member of an enumeration. Expressions may compare it only with members.
        ///
        /// - Precondition: the enumeration has this member.
        public init(name: String, member: String, of enumeration: EnumerationType) {
            type = .enumeration(enumeration)
            var record = Record(RecordType([("value", type)]))
            do throws(RecordError) { try record.set("value", to: .string(member)) } catch {
                preconditionFailure("the enumeration has this member")
            }
            (self.name, self.record) = (name, record)
        }

        // Safe because the closure keeps the record, which never changes.
        var location: MemoryLocation { unsafe .computed { [record] _ in unsafe record.unsafeBase } }
    }

    /// The names that mean something in every expression: types, and what functions such as `math.ceil` begin with.
    public static let names = Overload.typeNames.union(Overload.namespaces)

    /// The names in the given order, in which messages list them. There are few, so lookups are linear.
    public let variables: [Variable]
    /// The names whose values are known.
    public let constants: [Constant]
    /// The names of values that are computed.
    public let bindings: [Binding]

    /// The names whose types are not known, in the order of their values. Empty for a scope with types.
    public let untyped: [String]
    /// True when expressions are checked only at evaluation.
    let isUntyped: Bool

    // The indices of `untyped`, because a scope without types may have many names.
    private let indices: [String: Int]
    /// True when a name may have dots.
    let hasPaths: Bool

    /// - Precondition: the names are all different.
    public init(_ variables: [Variable], constants: [Constant] = [], bindings: [Binding] = []) {
        (self.variables, self.constants, untyped, isUntyped) = (variables, constants, [], false)
        self.bindings = bindings
        indices = [:]
        hasPaths = !constants.isEmpty || variables.contains { $0.name.utf8.contains(UInt8(ascii: ".")) }
        precondition(
            variables.indices.allSatisfy { index in
                !variables[..<index].contains { $0.name == variables[index].name }
            }, "names are all different")
    }

    /// Names of values whose types are not known at load.
    ///
    /// Expressions in such a scope are not checked at load. Operands that do not go together fault only when
    /// that part is evaluated. CEL has the same rule for expressions of type `dyn`. A name may have dots,
    /// such as `request.user`.
    ///
    /// - Parameter isChecked: expressions are checked at load after all, as far as types are known.
    /// - Precondition: the names are all different.
    public init(untyped names: [String], isChecked: Bool = false) {
        (variables, constants, bindings, untyped, isUntyped) = ([], [], [], names, !isChecked)
        indices = Dictionary(uniqueKeysWithValues: names.indices.map { (names[$0], $0) })
        hasPaths = true
    }

    /// A scope with more names.
    ///
    /// - Precondition: the names are all different, and this scope has types.
    public func adding(
        _ variables: [Variable], constants: [Constant] = [], bindings: [Binding] = []
    ) -> Scope {
        precondition(untyped.isEmpty, "names with types are added only to a scope with types")
        return Scope(
            self.variables + variables, constants: self.constants + constants,
            bindings: self.bindings + bindings)
    }

    /// The variable of that name; nil when there is none.
    public func variable(_ name: String) -> Variable? {
        variables.first { $0.name == name }
    }

    /// The slot of a value without a type.
    func untypedSlot(_ name: String) -> Int? { indices[name] }

    /// The names that have a value.
    public var names: [String] { untyped + variables.map(\.name) + bindings.map(\.name) }

    /// The number of slots of a frame for this scope.
    var slotCount: Int {
        max(untyped.count, ((variables.map(\.slot) + bindings.map(\.slot)).max() ?? -1) + 1)
    }
}

/// A field at a fixed location. A caller may read it in memory instead of evaluating an expression.
public struct FieldReference: Hashable, Sendable {
    /// The slot of the frame whose base address the offset counts from.
    public let slot: Int
    /// Offset in bytes from the slot's base address.
    public let offset: Int
    /// The type of the stored value.
    public let type: ValueType
}
