/// An instance that hands its state over to one of another version: a class with `@Instance` and `@Swap`.
public protocol Swap: Instance {
    /// The state. It changes nothing. The host does not call it between `start` and `stop`.
    func save(_ call: Call) throws -> [UInt8]

    /// Takes over a state, all of it or nothing, before `start`.
    ///
    /// It must throw for bytes that it does not understand, whatever they are; the host then releases the
    /// instance. It must do no input or output and start no thread.
    func restore(_ call: Call, _ saved: SavedState) throws
}

/// The state that another instance has saved.
public struct SavedState: Sendable {
    /// The schema of the plugin that saved it.
    public let schema: UInt32
    /// The version of the plugin that saved it.
    public let version: String
    /// The bytes.
    public let data: [UInt8]
}
