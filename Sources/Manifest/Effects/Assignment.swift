public import Diagnostics
public import Expressions
public import Records

/// A field of a new state or of a payload, and the expression for its value.
public struct Assignment: Sendable {
    /// The field's name.
    public let name: String
    /// Distance in bytes from the start of the record.
    public let offset: Int
    /// The field's type, and the type of the value that `store` writes.
    public let type: ValueType
    /// Computes and writes the value.
    public let store: Store
    /// The expression in its file. `EvaluationFault.range` is a range of this text. A constant is converted
    /// to an expression whose characters all have the constant's span.
    public let source: SourceText

    /// An assignment to one field.
    public init(to field: RecordType.Field, store: Store, source: SourceText) {
        (name, offset, type) = (field.name, field.offset, field.type)
        (self.store, self.source) = (store, source)
    }
}
