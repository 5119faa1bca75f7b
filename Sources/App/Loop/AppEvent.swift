import Records

/// An event of a manifest's loop: which one, and its fields.
struct AppEvent: Sendable {
    /// What events of one emission have in common, in one word.
    struct Head {
        fileprivate let number: Int32
        // From 0 on a message, below -1 a place.
        fileprivate let origin: Int32

        /// - Parameter place: of the emission in the `EventPool`.
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

    /// Of an event that was made of a message, which one of those that the loop receives, as an index into
    /// `MessageReceiver.origins(of:in:)`.
    var message: Int? { head.origin < 0 ? nil : Int(head.origin) }

    /// Where the `EventPool` keeps the memory for the next one.
    var place: Int? { head.origin < -1 ? -2 - Int(head.origin) : nil }

    init(index: Int, payload: Record, message: Int? = nil) {
        (head, self.payload) = (Head(index: index, message: message ?? -1), payload)
    }

    init(_ head: Head, payload: consuming Record) {
        (self.head, self.payload) = (head, payload)
    }
}
