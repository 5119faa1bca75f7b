import CForeignCall

/// The type of a record: its named fields in declaration order.
/// The layout is that of a `struct` with the same fields in the platform's C compiler.
///
/// A record may have cases, as the state of a loop does. Its layout is then `{ int32_t tag; shared fields;
/// union }`. The tag names the current case. The record has the shared fields and the fields of that case. A
/// record with cases is never a field or an element.
///
/// Two record types are equal when their fields have equal names and types in the same order, and their cases
/// are equal too.
public final class RecordType: Sendable {
    /// One field of a record.
    public struct Field: Hashable, Sendable {
        /// The field's name, unique in its record.
        public let name: String
        /// The field's type.
        public let type: ValueType
        /// Offset in bytes from the start of the record.
        public let offset: Int

        /// The same field with the offset from the start of an outer record. `field` is the outer record's
        /// field that holds this record.
        public func within(_ field: Field) -> Field {
            Field(name: name, type: type, offset: field.offset + offset)
        }
    }

    /// The name of the field that holds the case of a record with cases.
    public static let caseField = "case"

    /// The fields in declaration order, without the fields of the cases.
    ///
    /// In a record with cases, the first field is `case`, an enumeration of the names of the cases. The
    /// shared fields follow.
    public let fields: [Field]
    /// The cases in declaration order; empty for a plain record. The tag is an index into them.
    public let cases: [Case]
    /// Size in bytes, padding at the end included; 1 for a record without fields.
    public let size: Int
    /// Alignment in bytes.
    public let alignment: Int
    /// True when a byte copy is a full copy, because no field points to memory that the record owns.
    public let isTrivial: Bool
    /// The libffi description of the record, for an argument passed by value.
    ///
    /// libffi has no unions, so a record with cases can only be passed by pointer. An opaque structure of the
    /// same size and alignment stands for its union.
    public let foreignType: ForeignType

    @usableFromInline let ownedFields: [Field]
    /// The range of the union's bytes; empty without cases.
    public let union: Range<Int>
    private let indices: [String: Int]

    /// A record without cases. libffi computes its layout.
    ///
    /// - Precondition: the names are all different.
    public convenience init(_ fields: [(name: String, type: ValueType)]) {
        let members = fields.map(\.type.foreignType)
        // C has no empty structures, so an empty record and an empty case have one byte.
        let foreignType = ForeignType(members: members.isEmpty ? [ForeignType(scalar: FOREIGN_U8)] : members)
        self.init(
            fields: zip(fields, foreignType.offsets).map { Field(name: $0.name, type: $0.type, offset: $1) },
            cases: [], union: 0..<0, foreignType: foreignType)
    }

    /// A record with cases: `{ int32_t tag; shared fields; union of the cases }`.
    ///
    /// - Parameters:
    ///   - cases: the cases, each with its fields.
    ///   - shared: the fields that every case has.
    /// - Precondition: there is at least one case, and the names of the cases are all different. No field of
    ///   a case has the name of a shared field, and no field has the name `case`.
    public convenience init(
        cases: [(name: String, fields: [(name: String, type: ValueType)])],
        shared: [(name: String, type: ValueType)]
    ) {
        let tag = ValueType.enumeration(EnumerationType(members: cases.map(\.name)))
        let first = [(name: Self.caseField, type: tag)] + shared
        // Each case is a structure, as in C.
        let structures = cases.map { RecordType($0.fields) }
        let alignment = structures.map(\.alignment).max() ?? 1
        let size = (structures.map(\.size).max() ?? 1).roundedUp(to: alignment)
        let foreignType = ForeignType(
            members: first.map(\.type.foreignType) + [.opaque(size: size, alignment: alignment)])
        let union = foreignType.offsets[first.count]
        self.init(
            fields: zip(first, foreignType.offsets).map { Field(name: $0.name, type: $0.type, offset: $1) },
            cases: zip(cases, structures).map { declared, structure in
                Case(
                    name: declared.name,
                    fields: structure.fields.map {
                        Field(name: $0.name, type: $0.type, offset: union + $0.offset)
                    })
            }, union: union..<union + size, foreignType: foreignType)
        precondition(
            self.cases.allSatisfy { $0.fields.allSatisfy { field($0.name) == nil } },
            "no field of a case has the name of a shared field")
    }

    private init(fields: [Field], cases: [Case], union: Range<Int>, foreignType: ForeignType) {
        (self.fields, self.cases, self.union, self.foreignType) = (fields, cases, union, foreignType)
        size = foreignType.size
        alignment = foreignType.alignment
        ownedFields = fields.filter { !$0.type.isTrivial }
        isTrivial = ownedFields.isEmpty && cases.allSatisfy(\.ownedFields.isEmpty)
        indices = Dictionary(uniqueKeysWithValues: fields.indices.map { (fields[$0].name, $0) })
    }

    /// A plain record type for the same memory, with the shared fields and the fields of one case.
    /// It is for reading records that are in that case.
    ///
    /// - Precondition: there is a case with this index.
    public func narrowed(toCase index: Int) -> RecordType {
        RecordType(fields: fields + cases[index].fields, cases: [], union: 0..<0, foreignType: foreignType)
    }

    /// The position of a field in `fields`; nil when there is none of that name.
    public func index(of name: String) -> Int? { indices[name] }

    /// The field of that name; nil when there is none. It does not search the fields of cases.
    public func field(_ name: String) -> Field? { indices[name].map { fields[$0] } }

    /// The position of a case in `cases`; nil when there is none of that name.
    public func caseIndex(of name: String) -> Int? { cases.firstIndex { $0.name == name } }
}

extension RecordType: Hashable {
    /// True when both have the same fields and cases in the same order.
    public static func == (left: RecordType, right: RecordType) -> Bool {
        left === right || (left.fields == right.fields && left.cases == right.cases)
    }

    /// Hashes fields and cases.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
        hasher.combine(cases)
    }
}

extension RecordType: CustomStringConvertible {
    /// The record as the manifest writes it: `{ x = "f64", y = "f64" }`.
    /// A record with cases is written as its cases, each with all fields that it has.
    public var description: String {
        guard cases.isEmpty else {
            let shared = fields.dropFirst()
            return Self.braces(cases.map { "\($0.name) = \(Self.description(shared + $0.fields))" })
        }
        return Self.description(fields[...])
    }

    private static func description(_ fields: ArraySlice<Field>) -> String {
        braces(fields.map { "\($0.name) = \"\($0.type.name)\"" })
    }

    private static func braces(_ parts: [String]) -> String {
        parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
    }
}

extension RecordType {
    /// One case of a record with cases.
    public struct Case: Hashable, Sendable {
        /// Its name, unique in the record.
        public let name: String
        /// The fields that only this case has, in declaration order. Offsets count from the start of the
        /// record.
        public let fields: [Field]

        let ownedFields: [Field]

        init(name: String, fields: [Field]) {
            precondition(
                Set(fields.map(\.name)).count == fields.count, "the fields of a case have different names")
            (self.name, self.fields) = (name, fields)
            ownedFields = fields.filter { !$0.type.isTrivial }
        }

        /// The field of that name, if the case has one.
        public func field(_ name: String) -> Field? { fields.first { $0.name == name } }
    }
}
