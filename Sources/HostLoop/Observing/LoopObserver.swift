/// Sees everything a loop does; given to `Spin.start(observers:)`, it misses nothing.
///
/// All methods are called on the loop's executor, or on a thread that performs an event, one at a time, in
/// the order of what happened; each has a default that does nothing. They may emit and stop the loop, and must not wait. An observer must not hold
/// the loop's handle: the loop would never be released. A loop without observers pays nothing for them.
public protocol LoopObserver<State, Event>: AnyObject, Sendable {
    /// The state of the observed loop.
    associatedtype State: Sendable
    /// The event of the observed loop.
    associatedtype Event: Sendable

    /// Whether this observer is told of each step and run. If no observer of the loop is, steps cost nothing
    /// for observation, and only `started`, `faulted`, `quiescent` and `stopped` are called. Asked once, at
    /// the start.
    var seesSteps: Bool { get }

    /// The loop has begun; called first, before any feedback sees the initial state.
    func started(_ state: State)
    /// An event made a new state; called before its feedbacks run.
    func stepped(_ step: LoopStep<State, Event>)
    /// The reducer did not handle `event`.
    func unhandled(_ event: Event, from origin: EventOrigin)
    /// A call of a feedback's effect is about to begin, or was handed to the feedback's own executor. `event`
    /// caused the state that the effect is given, also when the call had to wait; nil: it is the initial state.
    func effectStarted(_ run: EffectRun, by event: Event?)
    /// A run has finished or failed by itself.
    func effectEnded(_ run: EffectRun)
    /// A run that was pending or executing was cancelled or replaced; it may still come to its end unseen.
    func effectCancelled(_ run: EffectRun)
    /// Something failed and was not caught.
    func faulted(_ fault: LoopFault)
    /// An ended or finished run emitted `event`, which was dropped.
    func late(_ event: Event, from run: EffectRun)
    /// The unreduced `event` of an ended run was taken back.
    func withdrawn(_ event: Event, from run: EffectRun)
    /// A full mailbox dropped `event`: refused it, or took it out for a newer one. While the loop is busy only
    /// as many are kept to be told as the mailbox has room for; `LoopCounters.dropped` counts all.
    func dropped(_ event: Event, from origin: EventOrigin)
    /// Nothing can happen any more unless somebody emits from outside; told once each time that becomes true.
    func quiescent()
    /// The loop has stopped; the last call.
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
