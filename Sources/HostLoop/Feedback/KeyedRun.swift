/// The run of one key as the loop sees it: a slot of its own, and what to call in it.
///
/// It stays with its slot when the key has gone, and serves a later key.
@usableFromInline
final class KeyedRun<State: Sendable, Event: Sendable> {
    @usableFromInline typealias Effect = FeedbackMemory<State, Event>.SendableEffect

    /// The effect of a key that has gone.
    static var nothing: Effect { { _, _, _ in .finished } }

    /// The place of the slot in the loop, or -1: none yet.
    var place: Int32 = -1
    /// The effect with the key's request; nil once the key has gone.
    @usableFromInline var effect: Effect?
    /// A call to make in the run that lasts; nil: the run is to be started.
    @usableFromInline var update: Effect?
    /// Tells whoever knows the key that its run is gone with all of its calls.
    @usableFromInline var forget: (() -> Void)?

    @usableFromInline
    init() {}
}

/// What a slot has to do with keys.
@usableFromInline
enum KeyedPart<State: Sendable, Event: Sendable> {
    /// It stands for all runs of the feedback.
    case whole(KeyedRuns<State, Event>)
    /// It is that of one run.
    case one(KeyedRun<State, Event>, of: KeyedRuns<State, Event>)
}
