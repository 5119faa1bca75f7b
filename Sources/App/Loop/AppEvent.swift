import Records

/// An event of a manifest's loop: its index, and its fields.
struct AppEvent: Sendable {
    /// The part that all events of one emission share, in one word.
    struct Head {
        fileprivate let number: Int32
        // A message from 0 on, a place in the pool below -1.
        fileprivate let origin: Int32

        /// - Parameter place: the emission's place in the `EventPool`.
        init(index: Int, place: Int) {
            (number, origin) = (Int32(index), Int32(-2 - place))
        }

        fileprivate init(index: Int, message: Int) {
            (number, origin) = (Int32(index), Int32(message))
        }
    }

    private let head: Head
    /// A record of the event's type.
    let payload: Record

    /// Index into `LoopModel.events`.
    var index: Int { Int(head.number) }

    /// For an event that was made of a message: an index into `MessageReceiver.origins(of:in:)`; nil for any
    /// other.
    var message: Int? { head.origin < 0 ? nil : Int(head.origin) }

    /// The place in the `EventPool` that gets the event's memory back.
    var place: Int? { head.origin < -1 ? -2 - Int(head.origin) : nil }

    init(index: Int, payload: Record, message: Int? = nil) {
        (head, self.payload) = (Head(index: index, message: message ?? -1), payload)
    }

    init(_ head: Head, payload: consuming Record) {
        (self.head, self.payload) = (head, payload)
    }
}
