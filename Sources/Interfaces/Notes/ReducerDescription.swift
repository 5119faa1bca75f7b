/// A reducer as its plugin describes it.
public struct ReducerDescription: Hashable, Sendable {
    /// What a manifest calls it after `PLUGIN:`; also the function's name.
    public let name: String
    /// The C type of the state, such as `levels_state`.
    public let stateType: String
    /// The C type of the event, such as `levels_event`.
    public let eventType: String
    /// What it does; may be empty.
    public let doc: String

    /// A reducer of that name for structs of those names.
    public init(name: String, stateType: String, eventType: String, doc: String) {
        (self.name, self.stateType, self.eventType, self.doc) = (name, stateType, eventType, doc)
    }
}
