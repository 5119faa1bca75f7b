import CForeignCall

/// The shape of a record: named fields in declaration order, laid out as the platform's C compiler lays out a
/// `struct` of the same fields.
///
/// A record may have cases, as the state of a loop does: then it is `{ int32_t tag; shared fields; union }`, and has at
/// any time the fields of the one case that the tag names beside the shared ones. Such a record stands by itself: it is
/// never a field or an element.
///
/// Two record types are equal when their fields have equal names and types in the same order, and so have their cases.
public final class RecordType: Sendable {
    /// One field of a record.
    public struct Field: Hashable, Sendable {
        /// The field's name, unique in its record.
        public let name: String
        /// The field's type.
        public let type: ValueType
        /// Distance in bytes from the start of the record.
        public let offset: Int

        /// The same field seen from the start of a record that has this one's as a field, which lies at `offset`.
        public func within(_ field: Field) -> Field {
            Field(name: name, type: type, offset: field.offset + offset)
        }
    }

    /// The name of the field that tells the case of a record with cases.
    public static let caseField = "case"

    /// The fields in declaration order. In a record with cases the first is `case`, an enumeration of their names, and
    /// the shared fields follow; those of a case are in `cases`.
    public let fields: [Field]
    /// The cases in declaration order, which the tag counts; empty for a plain record.
    public let cases: [Case]
    /// Size in bytes, padding at the end included; 1 for a record without fields.
    public let size: Int
    /// Alignment in bytes.
    public let alignment: Int
    /// True when a byte copy is a copy: no field points to memory that the record owns.
    public let isTrivial: Bool
    /// How libffi sees the record when it is passed by value. A record with cases goes by pointer only: libffi has no
    /// unions, and what stands there in place of its union has the right size and alignment and no more.
    public let foreignType: ForeignType

    @usableFromInline let ownedFields: [Field]
    /// The bytes of the union; empty without cases.
    public let union: Range<Int>
    private let indices: [String: Int]

    /// Lays the fields out by libffi's layout call.
    ///
    /// - Precondition: the names are all different.
    public convenience init(_ fields: [(name: String, type: ValueType)]) {
        let members = fields.map(\.type.foreignType)
        // C has no empty structures: like an empty case of a union, an empty record is one byte.
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
    /// - Precondition: at least one case, names of cases all different, no field of a case is called as a shared one, and
    ///   none is called `case`.
    public convenience init(
        cases: [(name: String, fields: [(name: String, type: ValueType)])],
        shared: [(name: String, type: ValueType)]
    ) {
        let tag = ValueType.enumeration(EnumerationType(members: cases.map(\.name)))
        let first = [(name: Self.caseField, type: tag)] + shared
        // Each case by itself is a structure, as it is in C.
        let alone = cases.map { RecordType($0.fields) }
        let alignment = alone.map(\.alignment).max() ?? 1
        let size = (alone.map(\.size).max() ?? 1).roundedUp(to: alignment)
        let foreignType = ForeignType(
            members: first.map(\.type.foreignType) + [.opaque(size: size, alignment: alignment)])
        let union = foreignType.offsets[first.count]
        self.init(
            fields: zip(first, foreignType.offsets).map { Field(name: $0.name, type: $0.type, offset: $1) },
            cases: zip(cases, alone).map { declared, alone in
                Case(
                    name: declared.name,
                    fields: alone.fields.map {
                        Field(name: $0.name, type: $0.type, offset: union + $0.offset)
                    })
            }, union: union..<union + size, foreignType: foreignType)
        precondition(
            self.cases.allSatisfy { $0.fields.allSatisfy { field($0.name) == nil } },
            "fields of cases are called otherwise than the shared ones")
    }

    private init(fields: [Field], cases: [Case], union: Range<Int>, foreignType: ForeignType) {
        (self.fields, self.cases, self.union, self.foreignType) = (fields, cases, union, foreignType)
        size = foreignType.size
        alignment = foreignType.alignment
        ownedFields = fields.filter { !$0.type.isTrivial }
        isTrivial = ownedFields.isEmpty && cases.allSatisfy(\.ownedFields.isEmpty)
        indices = Dictionary(uniqueKeysWithValues: fields.indices.map { (fields[$0].name, $0) })
    }

    /// The same memory seen as a plain record that has the shared fields and those of one case: for reading records that
    /// are in that case.
    ///
    /// - Precondition: there is such a case.
    public func narrowed(toCase index: Int) -> RecordType {
        RecordType(fields: fields + cases[index].fields, cases: [], union: 0..<0, foreignType: foreignType)
    }

    /// The position of a field in `fields`; nil when there is none of that name.
    public func index(of name: String) -> Int? { indices[name] }

    /// The field of that name, if there is one; fields of cases are not among them.
    public func field(_ name: String) -> Field? { indices[name].map { fields[$0] } }

    /// The position of a case in `cases`; nil when there is none of that name.
    public func caseIndex(of name: String) -> Int? { cases.firstIndex { $0.name == name } }
}

extension RecordType: Hashable {
    /// Whether both have the same fields and cases in the same order, whoever made them.
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
    /// The record as the manifest writes it: `{ x = "f64", y = "f64" }`; of a record with cases the cases, each with all
    /// fields that it has.
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
        /// The fields that only this case has, in declaration order; offsets count from the start of the record.
        public let fields: [Field]

        let ownedFields: [Field]

        init(name: String, fields: [Field]) {
            precondition(
                Set(fields.map(\.name)).count == fields.count, "the fields of a case are called differently")
            (self.name, self.fields) = (name, fields)
            ownedFields = fields.filter { !$0.type.isTrivial }
        }

        /// The field of that name, if the case has one.
        public func field(_ name: String) -> Field? { fields.first { $0.name == name } }
    }
}
