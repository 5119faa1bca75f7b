public import Records

/// A `struct` that `spinhost header` writes for a record of a loop, used in a plugin's prototype.
public struct CRecord: Hashable, Sendable {
    /// The name of the C type: `levels_state`.
    public let name: String
    /// The record type with the same layout.
    public let type: RecordType
}
