public import Records

/// The description of a struct in its plugin's notes (`SPIN_RECORD`), which the plugin's prototypes may use.
public struct RecordDescription: Hashable, Sendable {
    /// The name of the C type, which `spin_list_NAME` and `spin_optional_NAME` are named after.
    public let name: String
    /// Its declaration in C: `struct point { double x; double y; }`.
    public let text: String
    /// The record type with the same fields and layout.
    public let type: RecordType
}
