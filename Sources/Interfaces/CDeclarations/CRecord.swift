public import Records

/// A `struct` that `spinhost header` wrote for a record of a loop, as a plugin's prototype names it.
public struct CRecord: Hashable, Sendable {
    /// The name of the C type: `levels_state`.
    public let name: String
    /// The record of the same layout.
    public let type: RecordType
}
