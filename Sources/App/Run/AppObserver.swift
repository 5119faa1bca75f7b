public import Manifest
public import Records

/// Sees what a running app does. Every method has a default that does nothing.
///
/// The host makes one call at a time for each loop, and calls for several loops at once. It calls on the
/// loop's executor. Only a fault of an effect that emits later comes from the emitting thread, between two
/// other calls. A method must not block. It may stop the app.
public protocol AppObserver: AnyObject, Sendable {
    /// Whether the host must call `stepped`; without it, steps cost less. Read once, at the start.
    var seesSteps: Bool { get }
    /// Whether the host must call `explained`, for which it evaluates conditions twice. Read once, at the
    /// start.
    var seesExplanations: Bool { get }
    /// A loop has begun with its initial state, or continues with the state of the app before.
    ///
    /// - Parameters:
    ///   - key: of the instance; nil for a loop without a key.
    ///   - step: the number of the state; 0 for the initial state.
    func started(loop: String, key: LoopKey?, step: UInt64, state: Record)
    /// A loop has made a step, and its feedbacks have not run yet.
    func stepped(_ step: AppStep)
    /// The feedbacks have run for a state. Called before the next step, and when nothing can happen any more.
    func explained(_ explanation: AppExplanation)
    /// Something has failed.
    func faulted(_ fault: AppFault)
    /// A call of a plugin has held a loop for too long, and still holds it. This is no fault: nothing has
    /// failed.
    ///
    /// Called on the watchdog's thread, even while the loop is in another of these methods.
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
    public func started(loop: String, key: LoopKey?, step: UInt64, state: Record) {}
    /// Does nothing.
    public func stepped(_ step: AppStep) {}
    /// Does nothing.
    public func faulted(_ fault: AppFault) {}
    /// Does nothing.
    public func held(_ warning: AppFault) {}
}
