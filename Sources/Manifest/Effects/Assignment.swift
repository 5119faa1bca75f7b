public import Diagnostics
public import Expressions
public import Records

/// A field of a new state or of an event's payload, and what is stored in it.
public struct Assignment: Sendable {
    /// The field's name.
    public let name: String
    /// Distance in bytes from the start of the record.
    public let offset: Int
    /// The field's type, which `store` writes.
    public let type: ValueType
    /// Writes the value.
    public let store: Store
    /// The expression in its file; `EvaluationFault.range` counts in it. A constant is written as an expression, all of
    /// whose characters stand at the constant's place.
    public let source: SourceText

    /// An assignment to one field.
    public init(to field: RecordType.Field, store: Store, source: SourceText) {
        (name, offset, type) = (field.name, field.offset, field.type)
        (self.store, self.source) = (store, source)
    }
}
