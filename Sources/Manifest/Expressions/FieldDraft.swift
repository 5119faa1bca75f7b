import Records

/// A field of a state, of a case, or of `config`, as it is written.
struct FieldDraft {
    let name: String
    let type: ValueType
    /// The first value; nil: zero or empty.
    let initial: Value?
    /// The least and greatest value; nil: any.
    let range: (lower: Value, upper: Value)?
    /// Where it is written.
    let entry: TOMLEntry

    /// Where its first value is written, or where it would be.
    var initialNode: TOMLNode { entry.value.entry("initial")?.value ?? entry.value }
}

extension [FieldDraft] {
    /// The fields as a record has them.
    var fields: [(name: String, type: ValueType)] { map { ($0.name, $0.type) } }
}
