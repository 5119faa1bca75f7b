/// One handled event and the states before and after it.
public struct LoopStep<State: Sendable, Event: Sendable>: Sendable {
    /// The number of this step in its loop, from 1; the initial state is step 0.
    public var index: UInt64
    /// The event that was reduced.
    public var event: Event
    /// The origin of the event.
    public var origin: EventOrigin
    /// The state before the event.
    public var before: State
    /// The new state, which may equal the state before.
    public var after: State
    /// How long the reducer took, by the loop's clock.
    public var duration: Duration

    /// Makes a step; for tests of observers.
    @inlinable
    public init(
        index: UInt64, event: Event, origin: EventOrigin, before: State, after: State, duration: Duration
    ) {
        self.index = index
        self.event = event
        self.origin = origin
        self.before = before
        self.after = after
        self.duration = duration
    }
}

/// The origin of an event.
public struct EventOrigin: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case outside
        case performed
        case run(EffectRun)
    }

    private let kind: Kind

    /// The event was emitted through the loop's handle or an emitter.
    public static let outside = EventOrigin(kind: .outside)

    /// The event was performed: reduced on the thread that called `Loop.perform(_:)`.
    public static let performed = EventOrigin(kind: .performed)

    /// The event was emitted by a run of a feedback.
    public static func run(_ run: EffectRun) -> EventOrigin {
        EventOrigin(kind: .run(run))
    }

    /// The run that emitted the event; nil if no run did.
    public var run: EffectRun? {
        guard case .run(let run) = kind else { return nil }
        return run
    }
}
