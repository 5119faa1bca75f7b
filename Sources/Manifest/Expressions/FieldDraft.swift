import Records

/// A field of a state, of a case, or of `config`, as the manifest declares it.
struct FieldDraft {
    let name: String
    let type: ValueType
    /// The initial value; nil for zero or empty.
    let initial: Value?
    /// The least and greatest value; nil for any value.
    let range: (lower: Value, upper: Value)?
    /// Its entry in the file.
    let entry: TOMLEntry

    /// The node of its initial value; without one, the node of the field.
    var initialNode: TOMLNode { entry.value.entry("initial")?.value ?? entry.value }
}

extension [FieldDraft] {
    /// The names and types, to make a record type of them.
    var fields: [(name: String, type: ValueType)] { map { ($0.name, $0.type) } }
}
