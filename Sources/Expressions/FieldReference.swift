public import Records

/// A field at a fixed place: what lets a caller read it in memory instead of evaluating an expression.
public struct FieldReference: Hashable, Sendable {
    /// The slot of the frame whose base address the offset counts from.
    public let slot: Int
    /// Distance in bytes from the slot's base address.
    public let offset: Int
    /// What is stored there.
    public let type: ValueType
}
