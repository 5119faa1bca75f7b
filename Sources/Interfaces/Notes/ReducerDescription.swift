/// The description of a reducer in its plugin's notes.
public struct ReducerDescription: Hashable, Sendable {
    /// Its name: the part after `PLUGIN:` in a manifest, and the function's name.
    public let name: String
    /// The C type of the state, such as `levels_state`.
    public let stateType: String
    /// The C type of the event, such as `levels_event`.
    public let eventType: String
    /// Its documentation; may be empty.
    public let doc: String

    /// A reducer for structs of these names.
    public init(name: String, stateType: String, eventType: String, doc: String) {
        (self.name, self.stateType, self.eventType, self.doc) = (name, stateType, eventType, doc)
    }
}
