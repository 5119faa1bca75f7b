/// The event of a delayed transition, as observers see it: a state of that type has lasted so long.
///
/// A loop emits it to itself for each `After`. A test may hand it to `Transitions.transition(from:on:)`; only
/// the `After` that it belongs to handles it, never `On(AnyEvent.self, …)`.
public struct Elapsed: Event, Hashable, CustomStringConvertible {
    let delay: Delay
    let source: ObjectIdentifier
    private let sourceName: String

    init(_ delay: Delay, in source: any State.Type) {
        self.delay = delay
        self.source = ObjectIdentifier(source)
        sourceName = String(describing: source)
    }

    /// The event of `After(duration, …)` in `From(source)`.
    public init(_ duration: Duration, in source: any State.Type) {
        self.init(Delay(duration: duration, id: nil), in: source)
    }

    /// The event of `After(duration, id: id, …)` in `From(source)`.
    public init(_ duration: Duration, id: some Hashable & Sendable, in source: any State.Type) {
        self.init(Delay(duration: duration, id: DelayID(id)), in: source)
    }

    var isOfAnyState: Bool { source == ObjectIdentifier(AnyState.self) }

    /// For example `after 30.0 seconds in Loading`.
    public var description: String { "after \(delay.duration) in \(sourceName)" }

    /// Whether both belong to the same delayed transition.
    public static func == (left: Elapsed, right: Elapsed) -> Bool {
        left.source == right.source && left.delay == right.delay
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(delay)
    }
}
