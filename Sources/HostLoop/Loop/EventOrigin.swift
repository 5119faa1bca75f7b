/// Where an event came from.
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

    /// The run that emitted the event, if one did.
    public var run: EffectRun? {
        guard case .run(let run) = kind else { return nil }
        return run
    }
}
