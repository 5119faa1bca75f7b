import Records

/// An event of a manifest's loop: which one, and its fields.
struct AppEvent: Sendable {
    private let number: Int32
    // From 0 on a message, below -1 a place.
    private let origin: Int32
    /// A record of the event's type.
    let payload: Record

    /// Index into `LoopModel.events`.
    var index: Int { Int(number) }

    /// Of an event that was made of a message, which one of those that the loop receives, as an index into
    /// `MessageReceiver.origins(of:in:)`.
    var message: Int? { origin < 0 ? nil : Int(origin) }

    /// Where the `EventPool` keeps the memory for the next one.
    var place: Int? { origin < -1 ? -2 - Int(origin) : nil }

    init(index: Int, payload: Record) {
        (number, origin, self.payload) = (Int32(index), -1, payload)
    }

    init(index: Int, payload: Record, message: Int) {
        (number, origin, self.payload) = (Int32(index), Int32(message), payload)
    }

    init(index: Int, payload: consuming Record, place: Int) {
        (number, origin, self.payload) = (Int32(index), Int32(-2 - place), payload)
    }
}
