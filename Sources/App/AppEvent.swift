import Records

/// An event of a manifest's loop: which one, and its fields.
struct AppEvent: Sendable {
    /// Index into `LoopModel.events`.
    let index: Int
    /// A record of the event's type.
    let payload: Record
}
