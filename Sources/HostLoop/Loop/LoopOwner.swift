/// The object that a loop belongs to. A class, as a reference to one takes half of what one to a protocol does.
// Safe because it has no properties.
@usableFromInline
class LoopOwner: @unchecked Sendable {
    @usableFromInline
    init() {}

    /// The calling thread is about to drain the loop.
    ///
    /// As with `woke`, a thread that performs an event on an idle loop, or emits to it on `LoopExecutor.caller`, does not
    /// call this.
    @usableFromInline
    func drains() {}

    /// Observers and feedbacks are about to see the initial state, on the draining thread.
    @usableFromInline
    func begins() {}

    /// The idle loop is about to be scheduled. Each call is followed by one of `rested` or `stopped`.
    ///
    /// The thread that performs an event on an idle loop, or emits to it on `LoopExecutor.caller`, does not call this.
    @usableFromInline
    func woke() {}

    /// The loop is idle; called on the thread that has drained it.
    ///
    /// - Parameter isQuiescent: whether nothing can happen in it by itself any more.
    @usableFromInline
    func rested(isQuiescent: Bool) {}

    /// Something in the loop has failed; called as observers are.
    func faulted(_ fault: LoopFault) {}

    /// The loop has stopped; called once, on the draining thread. The loop releases the owner afterwards.
    func stopped(_ reason: StopReason) {}
}
