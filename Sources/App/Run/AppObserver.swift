public import Records

/// Sees what a running app does. Every method has a default that does nothing.
///
/// One call at a time per loop, several loops at once. Calls come from the loop's executor, except
/// `faulted` for an effect that emits later, which comes from whatever thread it emitted on, between two
/// others. A method must not wait; it may stop the app.
public protocol AppObserver: AnyObject, Sendable {
    /// Whether `stepped` is wanted; steps that nobody sees cost less. Asked once, at the start.
    var seesSteps: Bool { get }
    /// Whether `explained` is wanted, for which conditions are evaluated twice. Asked once, at the start.
    var seesExplanations: Bool { get }
    /// A loop has begun with its initial state; `step` is its number, which is 0 unless it goes on where one of another app was.
    func started(loop: String, step: UInt64, state: Record)
    /// A loop made a step, its feedbacks did not run yet.
    func stepped(_ step: AppStep)
    /// What the feedbacks did in a state: told before the next step, and when nothing can happen any more.
    func explained(_ explanation: AppExplanation)
    /// Something failed.
    func faulted(_ fault: AppFault)
    /// A call of a plugin has held a loop for too long, and still does; told by a thread of the watchdog, while the loop
    /// may be in any other of these methods. Not a fault: nothing has failed.
    func held(_ warning: AppFault)
}

extension AppObserver {
    /// True.
    public var seesSteps: Bool { true }
    /// False.
    public var seesExplanations: Bool { false }
    /// Does nothing.
    public func explained(_ explanation: AppExplanation) {}
    /// Does nothing.
    public func started(loop: String, step: UInt64, state: Record) {}
    /// Does nothing.
    public func stepped(_ step: AppStep) {}
    /// Does nothing.
    public func faulted(_ fault: AppFault) {}
    /// Does nothing.
    public func held(_ warning: AppFault) {}
}
