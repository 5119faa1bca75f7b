public import Records

/// A state of one loop of a running app.
public struct AppState: Sendable {
    /// The loop, as an index into `Manifest.loops`.
    public let loop: Int
    /// The number of the state, counted from 1; the initial state is 0.
    public let step: UInt64
    /// The state's record.
    public let state: Record
}
