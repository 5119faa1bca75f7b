import CForeignCall

/// The shape of a record: named fields in declaration order, laid out as the platform's C compiler lays out a
/// `struct` of the same fields.
///
/// Two record types are equal when their fields have equal names and types in the same order.
public final class RecordType: Sendable {
    /// One field of a record.
    public struct Field: Hashable, Sendable {
        /// The field's name, unique in its record.
        public let name: String
        /// The field's type.
        public let type: ValueType
        /// Distance in bytes from the start of the record.
        public let offset: Int
    }

    /// The fields in declaration order.
    public let fields: [Field]
    /// Size in bytes, padding at the end included; 1 for a record without fields.
    public let size: Int
    /// Alignment in bytes.
    public let alignment: Int
    /// True when a byte copy is a copy: no field points to memory that the record owns.
    public let isTrivial: Bool
    /// How libffi sees the record when it is passed by value.
    public let foreignType: ForeignType

    @usableFromInline let ownedFields: [Field]
    private let indices: [String: Int]

    /// Lays the fields out by libffi's layout call.
    ///
    /// - Precondition: the names are all different.
    public init(_ fields: [(name: String, type: ValueType)]) {
        let members = fields.map(\.type.foreignType)
        // C has no empty structures: like an empty case of a union, an empty record is one byte.
        let foreignType = ForeignType(members: members.isEmpty ? [ForeignType(scalar: FOREIGN_U8)] : members)
        self.foreignType = foreignType
        self.fields = zip(fields, foreignType.offsets).map { Field(name: $0.name, type: $0.type, offset: $1) }
        size = foreignType.size
        alignment = foreignType.alignment
        ownedFields = self.fields.filter { !$0.type.isTrivial }
        isTrivial = ownedFields.isEmpty
        indices = Dictionary(uniqueKeysWithValues: fields.indices.map { (fields[$0].name, $0) })
    }

    /// The position of a field in `fields`; nil when there is none of that name.
    public func index(of name: String) -> Int? { indices[name] }

    /// The field of that name, if there is one.
    public func field(_ name: String) -> Field? { indices[name].map { fields[$0] } }
}

extension RecordType: Hashable {
    public static func == (left: RecordType, right: RecordType) -> Bool {
        left === right || left.fields == right.fields
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension RecordType: CustomStringConvertible {
    /// The record as the manifest writes it: `{ x = "f64", y = "f64" }`.
    public var description: String {
        fields.isEmpty
            ? "{}" : "{ \(fields.map { "\($0.name) = \"\($0.type.name)\"" }.joined(separator: ", ")) }"
    }
}
