/// What the reducer made of an event.
@usableFromInline
enum Reduction: Sendable {
    case newState
    case unhandled
    case failed(any Error)
    /// Not reduced: performed steps have to be delivered first.
    case behind
}
