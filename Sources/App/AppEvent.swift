import Records

/// An event of a manifest's loop: which one, and its fields.
struct AppEvent: Sendable {
    private let number: Int32
    /// Of an event that was made of a message, which one of those that the loop receives, as an index into
    /// `MessageReceiver.origins(of:in:)`; else negative.
    let message: Int32
    /// A record of the event's type.
    let payload: Record

    /// Index into `LoopModel.events`.
    var index: Int { Int(number) }

    init(index: Int, payload: Record, message: Int = -1) {
        (number, self.message, self.payload) = (Int32(index), Int32(message), payload)
    }
}
