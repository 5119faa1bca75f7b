/// An observer of a loop's activity. Pass it to `Spin.start(observers:)` to observe the loop from its start.
///
/// The loop calls all methods on its executor or on a thread that performs an event. It calls one at a time,
/// in the order of the activity. By default each method does nothing. The methods may emit events and stop
/// the loop, and must not wait. An observer must not hold the loop's handle, because then the loop would
/// never be released. A loop without observers has no cost for observation.
public protocol LoopObserver<State, Event>: AnyObject, Sendable {
    /// The state of the observed loop.
    associatedtype State: Sendable
    /// The event of the observed loop.
    associatedtype Event: Sendable

    /// Whether the loop reports each step and run to this observer.
    ///
    /// If this is false, the loop calls only `started`, `faulted`, `quiescent` and `stopped`. If it is false for all
    /// observers of the loop, steps have no cost for observation. The loop reads this property when it begins.
    var seesSteps: Bool { get }

    /// The loop has begun. This is the first call, before any feedback sees the initial state.
    func started(_ state: State)
    /// An event made a new state; called before its feedbacks run.
    func stepped(_ step: LoopStep<State, Event>)
    /// The reducer did not handle `event`.
    func unhandled(_ event: Event, from origin: EventOrigin)
    /// A call of a feedback's effect is about to begin, or was passed to the feedback's own executor. `event`
    /// caused the state that the effect gets, even if the call had to wait. It is nil for the initial state.
    func effectStarted(_ run: EffectRun, by event: Event?)
    /// A run has finished or failed without being cancelled.
    func effectEnded(_ run: EffectRun)
    /// A pending or executing run was cancelled or replaced. It may still execute; its end is not reported.
    func effectCancelled(_ run: EffectRun)
    /// A failure occurred that was not caught.
    func faulted(_ fault: LoopFault)
    /// An ended or finished run emitted `event`, which was dropped.
    func late(_ event: Event, from run: EffectRun)
    /// The loop withdrew the unreduced `event` of an ended run.
    func withdrawn(_ event: Event, from run: EffectRun)
    /// A full mailbox dropped `event`: it rejected the event, or removed it for a newer one.
    ///
    /// While the loop is busy, it keeps only as many dropped events for this report as the mailbox has room
    /// for. `LoopCounters.dropped` counts all.
    func dropped(_ event: Event, from origin: EventOrigin)
    /// The loop has nothing more to do until an event comes from outside. Called once each time this begins.
    func quiescent()
    /// The loop has stopped. This is the last call.
    func stopped(_ reason: StopReason)
}

extension LoopObserver {
    /// True.
    public var seesSteps: Bool { true }
    /// Does nothing.
    public func started(_ state: State) {}
    /// Does nothing.
    public func stepped(_ step: LoopStep<State, Event>) {}
    /// Does nothing.
    public func unhandled(_ event: Event, from origin: EventOrigin) {}
    /// Does nothing.
    public func effectStarted(_ run: EffectRun, by event: Event?) {}
    /// Does nothing.
    public func effectEnded(_ run: EffectRun) {}
    /// Does nothing.
    public func effectCancelled(_ run: EffectRun) {}
    /// Does nothing.
    public func faulted(_ fault: LoopFault) {}
    /// Does nothing.
    public func late(_ event: Event, from run: EffectRun) {}
    /// Does nothing.
    public func withdrawn(_ event: Event, from run: EffectRun) {}
    /// Does nothing.
    public func dropped(_ event: Event, from origin: EventOrigin) {}
    /// Does nothing.
    public func quiescent() {}
    /// Does nothing.
    public func stopped(_ reason: StopReason) {}
}
